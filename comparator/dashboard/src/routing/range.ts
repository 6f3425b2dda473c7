import { parseInstant } from '../../../../vocabulary/parse-instant.ts'
import { type EpochMs, parseDuration } from '../../../../vocabulary/units.ts'

/** What a page's figures cover: what the gate judges, a duration back from now, or a span. */
export type Range =
  | { kind: 'window' }
  | { kind: 'last'; duration: string }
  | { kind: 'between'; from: EpochMs; to: EpochMs }

export const wholeWindow: Range = { kind: 'window' }

const durationShown = /^[1-9]\d{0,3}[mhd]$/

/** Parses an address's query: `range=6h`, or `from` and `to`; anything else means the window. */
export function parseRange(search: URLSearchParams): Range {
  const duration = search.get('range')
  if (duration !== null && durationShown.test(duration)) return { kind: 'last', duration }
  const from = parseInstant(search.get('from') ?? '')
  const to = parseInstant(search.get('to') ?? '')
  return from < to ? { kind: 'between', from, to } : wholeWindow
}

/** The entries of an address's query for this range. */
export function rangeEntries(range: Range): [name: string, value: string][] {
  if (range.kind === 'last') return [['range', range.duration]]
  return range.kind === 'window' ? [] : spanEntries(range)
}

/** `from` and `to` for the comparator's API; without them it returns what the gate judges. */
export function rangeQuery(range: Range, now: EpochMs): [name: string, value: string][] {
  if (range.kind === 'last') return [['from', spell(now - parseDuration(range.duration))]]
  return range.kind === 'window' ? [] : spanEntries(range)
}

function spanEntries({ from, to }: { from: EpochMs; to: EpochMs }): [string, string][] {
  return [
    ['from', spell(from)],
    ['to', spell(to)],
  ]
}

function spell(at: EpochMs): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}
