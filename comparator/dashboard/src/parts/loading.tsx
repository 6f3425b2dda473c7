/** Quiet for the first moments, so that a fast answer does not flash. */
export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  )
}
