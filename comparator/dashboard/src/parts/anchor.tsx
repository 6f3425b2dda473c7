import { hrefAt } from '../routing/hash-route.ts'
import { useRoute } from '../routing/use-route.ts'

/** A link to a part of this page, visible when the part is hovered or focused. `to`: its element's id. */
export function Anchor({ to, name }: { to: string; name: string }) {
  const href = hrefAt(useRoute(), to)
  if (href === null) return null
  return (
    <a class="anchor" href={href} aria-label={`Link to ${name}`} title={`Link to ${name}`}>
      #
    </a>
  )
}
