/** Where the lines will stand; quiet for the first moments, so that a fast answer does not flash. */
export function OverviewSkeleton() {
  return (
    <div class="loading overview-skeleton" role="status">
      <span class="visually-hidden">Loading validations…</span>
      {[0, 1, 2, 3, 4].map((row) => (
        <span key={row} class="skeleton-row" />
      ))}
    </div>
  )
}
