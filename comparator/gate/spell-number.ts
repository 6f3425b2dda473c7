import type { Limit } from './judge.ts'

const significantDigits = 4

/** A number with four significant digits, thousands with commas. */
export function spellNumber(value: number): string {
  if (value === 0) return '0'
  const magnitude = Math.abs(value)
  if (magnitude >= 1e15 || magnitude < 1e-6) return value.toExponential(2)
  const decimals = Math.max(0, significantDigits - 1 - Math.floor(Math.log10(magnitude)))
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(decimals, 9) })
}

/** What was set, as a limit is, with all its digits: rounded, it would be another one. */
export function spellExact(value: number): string {
  const magnitude = Math.abs(value)
  if (magnitude >= 1e15 || (magnitude > 0 && magnitude < 1e-6)) return value.toExponential()
  return value.toLocaleString('en-US', { maximumSignificantDigits: 15 })
}

export function spellExactPercent(share: number): string {
  return `${spellExact(share * 100)} %`
}

export function spellCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** A share as a percentage. */
export function spellPercent(share: number): string {
  return `${spellNumber(share * 100)} %`
}

export const unitOf = (metric: string) => (/^latency\.(primary|candidate|delta)\./.test(metric) ? ' ms' : '')

export function spellLimit({ min, max }: Limit, unit = ''): string {
  const spell = (value: number) => spellExact(value) + unit
  const parts = [min === undefined ? '' : `≥ ${spell(min)}`, max === undefined ? '' : `≤ ${spell(max)}`]
  return parts.filter((part) => part !== '').join(' and ')
}

/** A rough length of time for people: 90 s, 42 min, 5.5 h, 12 d. */
export function spellDuration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 120) return `${spellRough(seconds)} s`
  if (seconds < 2 * 3600) return `${spellRough(seconds / 60)} min`
  return seconds < 2 * 86_400 ? `${spellRough(seconds / 3600)} h` : `${spellRough(seconds / 86_400)} d`
}

/** Rounds down, so that a length that falls short is never shown as reached. */
function spellRough(value: number): string {
  return String(Math.floor(value * 10) / 10)
}
