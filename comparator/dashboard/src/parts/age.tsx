import { formatAge, formatZones } from '../format/time.ts'
import { useNow } from './use-now.ts'

const staleAfterMs = 5 * 60_000

/**
 * How long ago something arrived. Stale data looks different: dimmed, outlined and labelled. `plain`: for things that
 * do not become stale, such as a beginning.
 */
export function Age({ at, plain = false }: { at: string; plain?: boolean }) {
  const age = Math.max(0, useNow() - Date.parse(at))
  const stale = !plain && age >= staleAfterMs
  return (
    <time class={stale ? 'age age-stale' : 'age'} dateTime={at} title={formatZones(at).join(' · ')} data-stale={stale}>
      {stale && <span class="stale-tag">stale</span>}
      {formatAge(age)}
    </time>
  )
}
