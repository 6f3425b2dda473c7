import { hrefAt } from '../routing/hash-route.ts'
import { useRoute } from '../routing/use-route.ts'

/** The address of a part of this page, seen when one points at the part or tabs to it. `to`: its element's id. */
export function Anchor({ to, name }: { to: string; name: string }) {
  const href = hrefAt(useRoute(), to)
  if (href === null) return null
  return (
    <a class="anchor" href={href} aria-label={`Link to ${name}`} title={`Link to ${name}`}>
      #
    </a>
  )
}
