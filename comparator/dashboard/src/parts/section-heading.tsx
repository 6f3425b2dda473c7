import { Anchor } from './anchor.tsx'

/** A section's heading with a link to itself. */
export function SectionHeading({ id, level = 2, children }: { id: string; level?: 2 | 3; children: string }) {
  const Heading = `h${level}` as const
  return (
    <div class="anchored">
      <Heading id={id} tabIndex={-1}>
        {children}
      </Heading>
      <Anchor to={id} name={children} />
    </div>
  )
}
