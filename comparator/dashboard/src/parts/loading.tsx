interface LoadingProps {
  what: string
  /** Expected height in px, so that nothing moves when the content arrives. */
  height?: number
  /** `lines`: text and tables; `block`: a chart. */
  shape?: 'lines' | 'block'
}

/** A skeleton, invisible for the first 200 ms so that a fast answer does not make it flash. */
export function Loading({ what, height = 96, shape = 'lines' }: LoadingProps) {
  const lines = shape === 'block' ? 1 : Math.max(1, Math.floor(height / 32))
  return (
    <div class="loading" style={{ minHeight: `${height}px` }}>
      <span class="visually-hidden" role="status">
        Loading {what}…
      </span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class={shape === 'block' ? 'skeleton skeleton-block' : 'skeleton'} aria-hidden="true" />
      ))}
    </div>
  )
}
