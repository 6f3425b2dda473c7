import { type EpochMs, type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import { sampleKeyOf } from '../../metrics/name-sample.ts'
import { keysOf } from '../../metrics/slices-of.ts'
import { dayOf } from '../../store/day-of-id.ts'
import { exampleKeys, examplesMax } from '../../store/examples.ts'
import type { Db, Tx } from '../../store/open-database.ts'
import { failedSeverity } from '../../store/severity.ts'
import type { ExampleRow, ObservationRow } from '../../store/tables.ts'

/** After so long the choice is read again: what other comparators stored, and what was let go, shows then. */
const freshFor: Milliseconds = minuteMs

/**
 * Chooses, while observations come in, those that stand for all traffic and for each slice: the worst of a window, and
 * of each day a uniform sample, the least hashes of the ids; of equals the first ids, as they are listed. Failures have
 * places of their own among the worst: however many, they leave room for disagreements. Both choices depend on no order
 * and on no split over writers: each writer takes whatever is among the foremost that it knows of, so never too little,
 * and `pruneExamples` lets go of the rest.
 */
export class ExampleChoice {
  readonly #lists = new Map<string, Foremost>()
  readonly #readAt: EpochMs

  private constructor(readAt: EpochMs) {
    this.#readAt = readAt
  }

  static async read(db: Db | Tx, windowId: number, now: EpochMs): Promise<ExampleChoice> {
    const choice = new ExampleChoice(now)
    for (const example of await exampleKeys(db, windowId)) {
      choice.#listOf(example).add(example.key, example.observation_id)
    }
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
      const place = this.#listOf({ kind, slice, day, key }).add(key, row.id)
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

  #listOf({ kind, slice, day, key }: Pick<ExampleRow, 'kind' | 'slice' | 'day' | 'key'>): Foremost {
    const of = kind === 'typical' ? kind : key >= failedSeverity ? 'failed' : 'compared'
    const name = `${kind === 'typical' ? day : of} ${slice}`
    let list = this.#lists.get(name)
    if (list === undefined) {
      list = new Foremost(examplesMax[of][slice === '' ? 'all' : 'slice'], kind === 'worst' ? -1 : 1)
      this.#lists.set(name, list)
    }
    return list
  }
}

/** The `max` least keys (`sign` 1) or the greatest (−1), in their order, and of equal ones the least ids. */
class Foremost {
  readonly #max: number
  readonly #sign: 1 | -1
  readonly #found: Place[] = []

  constructor(max: number, sign: 1 | -1) {
    this.#max = max
    this.#sign = sign
  }

  /** The place among the foremost, from 0; `null` where it is none of them. */
  add(key: number, id: string): number | null {
    const place = { key: this.#sign * key, id }
    const found = this.#found
    if (found.length === this.#max && !isBefore(place, found.at(-1)!)) return null
    let low = 0
    let high = found.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(place, found[middle]!)) high = middle
      else low = middle + 1
    }
    found.splice(low, 0, place)
    if (found.length > this.#max) found.pop()
    return low
  }
}

interface Place {
  key: number
  id: string
}

const isBefore = (a: Place, b: Place) => a.key < b.key || (a.key === b.key && a.id < b.id)
