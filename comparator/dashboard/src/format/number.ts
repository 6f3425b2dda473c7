import { digitsOnSide } from '../../../../vocabulary/digits-on-side.ts'
import type { MetricInfo, Unit } from '../metrics/metric-info.ts'
import { noBreak } from './no-break.ts'
import { formatSpan } from './time.ts'

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** 12431 → `12,431`. */
export function formatCount(count: number): string {
  return grouped.format(count)
}

/** 1 → `1 exchange`, 12431 → `12,431 exchanges`. */
export function formatCounted(count: number, one: string): string {
  return `${formatCount(count)} ${count === 1 ? one : `${one}s`}`
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** For tight spaces: 12431 → `12.4K`. */
export function formatCompact(count: number): string {
  return compact.format(count)
}

/** Decimals of the smallest share, in per cent. */
const shareDecimalsMax = 8

/**
 * A share in [0, 1] as a percentage that never rounds up to 100 % or down to 0 % (0.99996 → `99.99 %`), nor onto or
 * across the given limits. A small share gets the decimals that its first digit needs, so that one loss in a million
 * does not read as a hundred.
 */
export function formatShare(share: number, ...limits: readonly number[]): string {
  if (share === 0 || share === 1) return noBreak(`${share * 100} %`)
  const shown = (one: number, decimals: number) => Number(keptPercent(one, decimals)) / 100
  const firstDigit = Math.ceil(-Math.log10(share * 100))
  const least = share > 0.99 || share < 0.01 ? 2 : 1
  const decimals = digitsOnSide([share], limits, shown, Math.max(least, Math.min(shareDecimalsMax, firstDigit)))
  return noBreak(`${trimZeros(keptPercent(share, decimals))} %`)
}

/**
 * The same for a column with aligned decimal points: 0.96 → `96.0 %`. What would round to 0 % or 100 % reads `< 0.1 %`
 * or `> 99.9 %`.
 */
export function formatColumnShare(share: number, decimals = 1): string {
  const step = 10 ** -decimals
  const percent = (share * 100).toFixed(decimals)
  const isCut = share > 0 && share < 1
  if (isCut && Number(percent) === 0) return noBreak(`< ${step.toFixed(decimals)} %`)
  if (isCut && Number(percent) === 100) return noBreak(`> ${(100 - step).toFixed(decimals)} %`)
  return noBreak(`${percent} %`)
}

/** A number of per cent, such as a share of live traffic: `10 %`. */
export function formatPercent(percent: number): string {
  return noBreak(`${formatPlain(percent)} %`)
}

function keptPercent(share: number, decimals: number): string {
  const step = 10 ** -decimals
  return Math.min(100 - step, Math.max(step, share * 100)).toFixed(decimals)
}

/** Milliseconds to about three digits: `0.42 ms`, `9.31 ms`, `231 ms`, `12.4 s`; only an exact zero is `0 ms`. */
export function formatMs(ms: number): string {
  const size = Math.abs(ms)
  if (size === 0) return noBreak('0 ms')
  if (size >= 10_000) return noBreak(`${grouped0(ms / 1000, 1)} s`)
  return noBreak(`${grouped0(ms, size >= 100 ? 0 : size >= 10 ? 1 : 2)} ms`)
}

/** How many times as much, to about three digits, and to two where it is small: `0.31`, `12.4`, `2,321`. */
export function formatTimes(ratio: number): string {
  if (!(ratio > 0)) return formatPlain(ratio)
  return grouped0(ratio, Math.max(0, Math.min(6, (ratio < 1 ? 1 : 2) - Math.floor(Math.log10(ratio)))))
}

/**
 * Number of decimals (of the fraction, even if it is shown in per cent), or of digits after the point in scientific
 * notation.
 */
export type Digits = number | { mantissa: number }

/** Maximum decimals in a text; clocks are no more exact than microseconds. */
const roomOf = (unit: Unit) => (unit === 'ms' ? 3 : 6)

/**
 * The number of digits to show for an estimate and its bound alike: two significant digits of the bound's half width,
 * since the rest is noise; without a width, four of the value. It is increased only if the ends would otherwise look
 * the same, or if the estimate or an end would touch or cross the limit shown beside them. Scientific notation if all
 * values are small.
 */
export function digitsFor(
  value: number | null,
  lower: number | null,
  upper: number | null,
  unit: Unit,
  limit: Limit = {},
): Digits {
  const known = [value, lower, upper].filter((one) => one !== null)
  const limits = limitsOf(limit)
  const worth = digitsWorth(value, lower, upper, unit)
  if (typeof worth === 'number') {
    return digitsOnSide(known, limits, (one, decimals) => shownNumber(one, unit, decimals), worth)
  }
  const byPower = (one: number, mantissa: number) => Number(one.toExponential(mantissa))
  return { mantissa: digitsOnSide(known, limits, byPower, worth.mantissa) }
}

interface Limit {
  min?: number
  max?: number
}

const limitsOf = ({ min, max }: Limit) => [min, max].filter((limit) => limit !== undefined)

/** A value as `formatValue` shows it, converted back to a number. */
function shownNumber(value: number, unit: Unit, decimals: number): number {
  const inUnit = unit === 'percent' ? value * 100 : value
  const shown = Number(grouped0(inUnit, decimalsOf(unit, decimals)).replaceAll(',', '').replace('−', '-'))
  return unit === 'percent' ? shown / 100 : shown
}

function digitsWorth(value: number | null, lower: number | null, upper: number | null, unit: Unit): Digits {
  const known = [value, lower, upper].filter((one) => one !== null)
  const greatest = Math.max(...known.map(Math.abs))
  const width = distance(lower, upper)
  // sums of the same numbers in a different order count as equal
  const hasWidth = width > greatest * 1e-12
  const halfWidth = hasWidth
    ? width / 2
    : Math.max(distance(value, lower), distance(value, upper), Math.abs(value ?? 0) / 100)
  if (!(halfWidth > 0)) return 2
  const decimals = Math.max(0, 1 - Math.floor(Math.log10(halfWidth)))
  const most = roomOf(unit)
  if (decimals <= most) return decimals
  if (unit === 'none' && greatest < 1e-4) return { mantissa: decimals + Math.floor(Math.log10(greatest)) }
  const ends = width > 0 ? [lower!, upper!] : known
  return ends.every((end) => end.toFixed(most) === ends[0]!.toFixed(most)) ? decimals : most
}

function distance(a: number | null, b: number | null): number {
  return a === null || b === null ? 0 : Math.abs(a - b)
}

/** A metric's value with its unit; `–` if there is none. An exact zero has no decimals, unlike one that is rounded. */
export function formatValue(value: number | null | undefined, unit: Unit, digits?: Digits): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  if (value === 0 && digits !== undefined) return formatValue(0, unit)
  if (unit === 'span') return formatSpan(value)
  if (unit === 'share') return formatShare(value)
  if (unit === 'count') return formatCount(value)
  if (unit === 'ms' && digits === undefined) return formatMs(value)
  const ending = { percent: ' %', ms: ' ms', none: '' }[unit]
  return noBreak(formatDigits(unit === 'percent' ? value * 100 : value, unit, digits) + ending)
}

function formatDigits(value: number, unit: Unit, digits: Digits | undefined): string {
  if (typeof digits === 'number') return grouped0(value, decimalsOf(unit, digits))
  // a side's value may be of a different magnitude from the difference for which the digits were chosen
  const isSmall = digits !== undefined && value !== 0 && Math.abs(value) < 1e-4
  return isSmall ? byPower(value, digits.mantissa) : formatPlain(value)
}

function decimalsOf(unit: Unit, decimals: number): number {
  return unit === 'percent' ? Math.max(0, decimals - 2) : decimals
}

function byPower(value: number, mantissa: number): string {
  return value.toExponential(mantissa).replace(/^-/, '−')
}

/**
 * A metric's estimate with its unit. For metrics that are never negative, only an exact 0 is shown as 0, and a value
 * too small for the digits is shown as `< 0.0001`. A share has its own digits, enough to keep it on its side of the
 * limits.
 */
export function formatEstimate(
  value: number | null,
  { unit, domain }: Pick<MetricInfo, 'unit' | 'domain'>,
  digits?: Digits,
  limit: Limit = {},
): string {
  if (value !== null && unit === 'share') return formatShare(value, ...limitsOf(limit))
  const text = formatValue(value, unit, digits)
  const isSmall = value !== null && value > 0 && !/[1-9]/.test(text)
  if (!isSmall || domain[0] !== 0 || typeof digits !== 'number' || unit === 'span') return text
  const step = 10 ** -(decimalsOf(unit, digits) + (unit === 'percent' ? 2 : 0))
  return noBreak(`< ${formatValue(step, unit, digits)}`)
}

/** Adds a + to positive values if `isSigned`. */
export function signed(text: string, isSigned: boolean): string {
  return isSigned && /^\d/.test(text) && /[1-9]/.test(text) ? `+${text}` : text
}

/** Four significant digits without trailing zeros; digits before the decimal point are never rounded to zeros. */
export function formatPlain(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e9) return byPower(value, 2)
  return grouped0(value, Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(size)))), 0)
}

/**
 * For values of which only the magnitude matters, such as a probability or a drift index: two digits, and `< 0.0001`
 * below that.
 */
export function formatTiny(value: number): string {
  return value > 0 && value < 1e-4 ? noBreak('< 0.0001') : formatPlain(Number(value.toPrecision(2)))
}

/** The value 1 − `by`, never shown as 1 unless it is: `0.42`, `1 − 7.27e-9`. */
export function formatShortOfOne(by: number): string {
  const text = formatPlain(1 - by)
  return by > 0 && text === '1' ? noBreak(`1 − ${formatPlain(by)}`) : text
}

const exact = new Intl.NumberFormat('en', { maximumSignificantDigits: 15 })

/** All digits, as configured: 0.99995 → `0.99995`. */
export function formatExact(value: number): string {
  const size = Math.abs(value)
  const text = size >= 1e15 || (size > 0 && size < 1e-6) ? value.toExponential() : exact.format(value)
  return text.replace(/^-/, '−')
}

/** For values in a column: all with the decimals that give the largest one four significant digits. */
export function formatAlike(values: readonly number[]): (value: number) => string {
  const greatest = Math.max(0, ...values.map(Math.abs))
  if (greatest === 0 || greatest < 1e-4 || greatest >= 1e9) return formatPlain
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(greatest)))
  return (value) => grouped0(value, decimals)
}

function grouped0(value: number, decimals: number, minimum = decimals): string {
  const text = formatOf(minimum, decimals).format(value)
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text.replace('-', '−')
}

const formats: Record<string, Intl.NumberFormat> = {}

/** Kept, because making one takes twenty times as long as using it. */
function formatOf(minimumFractionDigits: number, maximumFractionDigits: number): Intl.NumberFormat {
  const key = `${minimumFractionDigits} ${maximumFractionDigits}`
  formats[key] ??= new Intl.NumberFormat('en', { minimumFractionDigits, maximumFractionDigits })
  return formats[key]
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
