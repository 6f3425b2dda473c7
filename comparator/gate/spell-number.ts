import { digitsOnSide, significantDigitsMax } from '../../vocabulary/digits-on-side.ts'
import { type EpochMs, minuteMs } from '../../vocabulary/units.ts'
import type { Limit } from './judge.ts'

const significantDigits = 4

/** Making a format costs thirty times as much as using it, and every gate evaluation spells dozens of numbers. */
const ofDecimals: Intl.NumberFormat[] = []
const exact = new Intl.NumberFormat('en-US', { maximumSignificantDigits: significantDigitsMax })

/**
 * Formats a number with four significant digits and commas for thousands. Beside a limit it has no finer decimals than
 * the limit would: 0.0001234 becomes 0.00012 where 0.02 is allowed. Near a limit it has as many digits as keep it on
 * its side: 0.98999 does not become 0.99.
 */
export function spellNumber(value: number, { min, max }: Limit = {}): string {
  if (value === 0) return '0'
  const magnitude = Math.abs(value)
  const limits = [min, max].filter((limit) => limit !== undefined)
  if (magnitude >= 1e15 || magnitude < 1e-6) {
    return value.toExponential(digitsOnSide([value], limits, (one, digits) => Number(one.toExponential(digits)), 2))
  }
  const sizes = limits.map(Math.abs).filter((size) => size > 0)
  // at least one significant digit, so that no other number looks like 0
  const needed = Math.max(decimalsOf(magnitude, 1), ...sizes.map((size) => decimalsOf(size)))
  const decimals = sizes.length === 0 ? decimalsOf(magnitude) : Math.min(decimalsOf(magnitude), needed)
  return spellDecimals(value, digitsOnSide([value], limits, roundedTo, decimals))
}

function spellDecimals(value: number, decimals: number): string {
  ofDecimals[decimals] ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: decimals })
  return ofDecimals[decimals].format(value)
}

const roundedTo = (value: number, decimals: number) => Number(spellDecimals(value, decimals).replaceAll(',', ''))

/** Number of decimals that show this many significant digits. */
function decimalsOf(magnitude: number, digits = significantDigits): number {
  return Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude)))
}

/** Formats a configured number, such as a limit, with all its digits: rounded it would be a different limit. */
export function spellExact(value: number): string {
  const magnitude = Math.abs(value)
  if (magnitude >= 1e15 || (magnitude > 0 && magnitude < 1e-6)) return value.toExponential()
  return exact.format(value)
}

export function spellExactPercent(share: number): string {
  return `${spellExact(share * 100)} %`
}

export function spellCount(count: number): string {
  return spellDecimals(Math.round(count), 0)
}

/** Such as `1 bucket` and `48 buckets`. */
export const spellCounted = (count: number, noun: string) => `${spellCount(count)} ${noun}${count === 1 ? '' : 's'}`

/** Formats a share as a percentage, beside a limit on the share. */
export function spellPercent(share: number, { min, max }: Limit = {}): string {
  const limit = { ...(min !== undefined && { min: min * 100 }), ...(max !== undefined && { max: max * 100 }) }
  return `${spellNumber(share * 100, limit)} %`
}

export const unitOf = (metric: string) => (/^latency\.(primary|candidate|delta)\./.test(metric) ? ' ms' : '')

export function spellLimit({ min, max }: Limit, unit = ''): string {
  const spell = (value: number) => spellExact(value) + unit
  const parts = [min === undefined ? '' : `≥ ${spell(min)}`, max === undefined ? '' : `≤ ${spell(max)}`]
  return parts.filter((part) => part !== '').join(' and ')
}

export const spellMinute = (at: EpochMs) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The same, with seconds unless they are zero. */
export const spellTime = (at: EpochMs) =>
  at % minuteMs === 0 ? spellMinute(at) : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Formats a rough length of time: 90 s, 42 min, 5.5 h, 12 d. */
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
