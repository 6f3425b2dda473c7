import type { ComponentChildren } from 'preact'

/** `children`: further legend entries. */
export function LegLegend({ children }: { children?: ComponentChildren }) {
  return (
    <ul class="legend">
      <li class="key key-primary">primary</li>
      <li class="key key-candidate">candidate</li>
      {children}
    </ul>
  )
}
