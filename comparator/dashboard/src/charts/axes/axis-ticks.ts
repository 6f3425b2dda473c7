import { limitValue } from '../../format/limit-text.ts'
import { noBreak } from '../../format/no-break.ts'
import { formatExact, formatPlain, formatValue } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'

/** From here on, milliseconds are shown as seconds, as in `formatMs`. */
const secondsFrom = 10_000
/** The smallest value still shown as a fraction of a second. */
const tenth = 100

/**
 * Formats an axis's ticks: all in the unit of the largest, with enough decimals to distinguish them and without
 * trailing zeros. On a logarithmic axis the other ticks are unknown and only its `span` is known; an axis from less
 * than a tenth of a second to more than ten seconds is too long for a single unit.
 */
export function axisTicks(
  unit: Unit,
  span?: readonly [number, number],
): (value: number, index?: number, ticks?: readonly number[]) => string {
  return (value, _index, ticks = []) => {
    if (value === 0) return '0'
    if (unit === 'ms' && span && span[0] >= tenth && span[1] >= secondsFrom) return inSeconds(value, tenth)
    const isAlone = ticks.length < 2
    // three digits distinguish the ticks of a logarithmic axis
    if (isAlone && unit === 'ms' && Math.abs(value) < secondsFrom) {
      return withoutZeros(formatValue(value, 'ms', decimalsOf(Math.abs(value) / 100)))
    }
    if (isAlone || unit === 'span') return withoutZeros(formatValue(value, unit))
    const step = Math.abs(ticks[1]! - ticks[0]!)
    const greatest = Math.max(...ticks.map(Math.abs))
    if (unit === 'ms' && greatest >= secondsFrom) return inSeconds(value, step)
    if (unit === 'ms') return withoutZeros(formatValue(value, 'ms', decimalsOf(step)))
    if (unit === 'share' || unit === 'percent') return withoutZeros(formatValue(value, 'percent', decimalsOf(step)))
    if (greatest < 1e-4 || greatest >= 1e9) return formatPlain(value)
    return withoutZeros(formatValue(value, 'none', decimalsOf(step)))
  }
}

/** A limit as it was configured, in the unit of an axis that extends to `greatest`. */
export function limitOnAxis(value: number, unit: Unit, greatest = value): string {
  return unit === 'ms' && greatest >= secondsFrom ? noBreak(`${formatExact(value / 1000)} s`) : limitValue(value, unit)
}

const inSeconds = (ms: number, stepMs: number) =>
  withoutZeros(noBreak(`${formatValue(ms / 1000, 'none', decimalsOf(stepMs / 1000))} s`))

const decimalsOf = (step: number) => Math.min(20, Math.max(0, -Math.floor(Math.log10(step))))

/** `10.00 ms` → `10 ms` */
function withoutZeros(text: string): string {
  return text.replace(/\.0+(?=\s|$)/, '').replace(/(\.\d*?)0+(?=\s|$)/, '$1')
}
