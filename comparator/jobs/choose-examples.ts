import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { sampleKeyOf } from '../metrics/name-sample.ts'
import { keysOf } from '../metrics/slices-of.ts'
import { dayOf } from '../store/day-of-id.ts'
import { exampleKeys, examplesMax } from '../store/examples.ts'
import type { Db, Tx } from '../store/open-database.ts'
import type { ExampleRow, ObservationRow } from '../store/tables.ts'

/** After so long the choice is read again: what other comparators stored, and what was let go, shows then. */
const freshFor: Milliseconds = 60_000

/**
 * Chooses, while observations come in, those that stand for all traffic and for each slice: the worst of a window, and
 * of each day a uniform sample, the least hashes of the ids. Both choices depend on no order and on no split over
 * writers: each writer takes whatever is among the foremost that it knows of, so never too little, and
 * `pruneExamples` lets go of the rest.
 */
export class ExampleChoice {
  readonly #lists = new Map<string, Foremost>()
  readonly #readAt: EpochMs

  private constructor(readAt: EpochMs) {
    this.#readAt = readAt
  }

  static async read(db: Db | Tx, windowId: number, now: EpochMs): Promise<ExampleChoice> {
    const choice = new ExampleChoice(now)
    for (const { slice, kind, day, key } of await exampleKeys(db, windowId)) choice.#listOf(kind, slice, day).add(key)
    return choice
  }

  isStale(now: EpochMs): boolean {
    return now - this.#readAt >= freshFor
  }

  /** What an observation stands for, and whether its bodies are worth keeping for that. */
  choose(row: ObservationRow): { examples: ExampleRow[]; isShown: boolean } {
    const examples: ExampleRow[] = []
    let isShown = false
    const day = dayOf(row.at.getTime())
    const take = (kind: ExampleRow['kind'], slice: string, key: number) => {
      const place = this.#listOf(kind, slice, day).add(key)
      if (place === null) return
      if (kind === 'worst' || place < examplesMax.typical.slice) isShown = true
      const { window_id, id: observation_id, day: observation_day } = row
      examples.push({ window_id, slice, kind, day, key, observation_id, observation_day })
    }
    const sampleKey = sampleKeyOf(row.id)
    for (const slice of ['', ...keysOf(row.slices ?? {})]) {
      if (row.severity > 0) take('worst', slice, row.severity)
      take('typical', slice, sampleKey)
    }
    return { examples, isShown }
  }

  #listOf(kind: ExampleRow['kind'], slice: string, day: string): Foremost {
    const key = kind === 'worst' ? `worst ${slice}` : `${day} ${slice}`
    let list = this.#lists.get(key)
    if (list === undefined) {
      const max = examplesMax[kind][slice === '' ? 'all' : 'slice']
      list = new Foremost(max, kind === 'worst' ? -1 : 1)
      this.#lists.set(key, list)
    }
    return list
  }
}

/** The `max` least keys (`sign` 1) or the greatest (−1), in their order. */
class Foremost {
  readonly #max: number
  readonly #sign: 1 | -1
  readonly #keys: number[] = []

  constructor(max: number, sign: 1 | -1) {
    this.#max = max
    this.#sign = sign
  }

  /** The key's place among the foremost, from 0; `null` where it is none of them. */
  add(key: number): number | null {
    const signed = this.#sign * key
    const last = this.#keys.at(-1)
    if (this.#keys.length === this.#max && signed >= last!) return null
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#keys[middle]! <= signed) low = middle + 1
      else high = middle
    }
    this.#keys.splice(low, 0, signed)
    if (this.#keys.length > this.#max) this.#keys.pop()
    return low
  }
}
