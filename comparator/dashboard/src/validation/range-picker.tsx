import { type Range, ranges } from '../routing/hash-route.ts'

const words: Record<Range, string> = {
  window: 'The gate’s window',
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

export function RangePicker({ range, choose }: { range: Range; choose: (range: Range) => void }) {
  return (
    <label class="picker">
      <span>Range</span>
      <select value={range} onChange={(event) => choose(event.currentTarget.value as Range)}>
        {ranges.map((each) => (
          <option key={each} value={each}>
            {words[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
