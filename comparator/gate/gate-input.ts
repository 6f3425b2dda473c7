import { createHash } from 'node:crypto'
import { type BinCounts, binCountsOf, pairsOf } from '../statistics/bin-counts.ts'
import type { GateInput } from './evaluate.ts'

/**
 * A gate's input as JSON. Maps become `{"$map": [[key, value], …]}`, and numbers that JSON lacks `{"$number": "NaN"}`.
 * Keys are sorted, so that equal inputs give the same text.
 */
export function spellGateInput(input: GateInput): string {
  return JSON.stringify(sorted(input))
}

/**
 * Parses such a text. Throws for one from a version that did not keep matrix cells in `groups`: with other groups, its
 * bounds would be others.
 */
export function readGateInput(text: string): GateInput {
  const input = parsed(text)
  if (input.range.groups === undefined) throw new Error('an older version kept its input, in another form')
  // versions that did not count reasons kept none; this affects texts only, not the verdict
  return { ...input, exchanges: { ...input.exchanges, unmapped: input.exchanges.unmapped ?? {} } }
}

/** The counts of exchanges in such a text, of any version. */
export function readExchanges(text: string): Pick<GateInput['exchanges'], 'compared' | 'skipped' | 'bySizeClass'> {
  const { compared, skipped, bySizeClass } = parsed(text).exchanges
  return { compared, skipped, bySizeClass }
}

export function digestOfInput(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function parsed(text: string): GateInput {
  return JSON.parse(text, (_key, value) => {
    if (value === null || typeof value !== 'object') return value
    // the keys of a histogram are numbers, those of any other map are names
    if ('$map' in value) return typeof value.$map[0]?.[0] === 'number' ? binCountsOf(value.$map) : new Map(value.$map)
    return '$number' in value ? Number(value.$number) : value
  })
}

function sorted(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) }
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  if (value instanceof Map) return { $map: [...value].sort(byKey).map(([key, item]) => [key, sorted(item)]) }
  if ('bins' in value && value.bins instanceof Int32Array) return { $map: pairsOf(value as BinCounts) }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.sort(byKey).map(([key, item]) => [key, sorted(item)]))
}

/** Keys are texts, and each occurs once. */
const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
