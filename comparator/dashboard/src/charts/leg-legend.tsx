export function LegLegend() {
  return (
    <ul class="legend">
      <li class="key key-primary">primary</li>
      <li class="key key-candidate">candidate</li>
    </ul>
  )
}
