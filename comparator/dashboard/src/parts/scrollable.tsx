import type { ComponentChildren } from 'preact'

interface ScrollableProps {
  label: string
  class?: string
  /** `auto`: as the text in it begins. */
  dir?: 'auto'
  children: ComponentChildren
}

/** What scrolls where it does not fit, by keyboard too. */
export function Scrollable({ label, class: kind = 'table-scroll', dir, children }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section class={kind} tabIndex={0} aria-label={label} dir={dir}>
      {children}
    </section>
  )
}
