import type { ComponentChildren } from 'preact'

/** Shown when there is no data: what is awaited and how to get it. */
export function EmptyState(props: { title: string; heading?: 'h1' | 'h2' | 'h3' | 'p'; children?: ComponentChildren }) {
  const Heading = props.heading ?? 'p'
  return (
    <div class="empty-state">
      <Heading class="empty-title">{props.title}</Heading>
      <div class="empty-text">{props.children}</div>
    </div>
  )
}
