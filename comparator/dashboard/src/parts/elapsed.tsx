import { formatLargest, formatZones } from '../format/time.ts'
import { useNow } from './use-now.ts'

/** How long a state has lasted: `7 min`. */
export function Elapsed({ since }: { since: string }) {
  return (
    <time class="number" dateTime={since} title={`since ${formatZones(since).join(' · ')}`}>
      {formatLargest(Math.max(0, useNow() - Date.parse(since)))}
    </time>
  )
}
