import { type EpochMs, type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import { keysOf } from '../../metrics/contributions/slice-values.ts'
import { sampleKeyOf } from '../../metrics/name-sample.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { ExampleRow, ObservationRow } from '../../store/database/tables.ts'
import { dayOf } from '../../store/observations/day-of-id.ts'
import { exampleKeys, examplesMax } from '../../store/observations/examples.ts'
import { failedSeverity } from '../../store/observations/severity.ts'

/** After this time the choice is read again, to pick up what other comparators stored and what was deleted. */
const freshFor: Milliseconds = minuteMs

/**
 * Chooses the examples of all traffic and of each slice while observations come in: the worst of a window, and of each
 * day a uniform sample, which are the smallest hashes of the ids. Ties go to the smallest ids, as in listings. Failures
 * have places of their own among the worst, so that they always leave room for disagreements. The choice does not
 * depend on the order of arrival or on the number of writers: each writer takes all that may belong to the final choice
 * as far as it knows, and `pruneExamples` deletes the surplus.
 */
export class ExampleChoice {
  readonly #lists = new Map<string, TopList>()
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

  /** The examples that an observation is, and whether its bodies should be kept to show them. */
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

  #listOf({ kind, slice, day, key }: Pick<ExampleRow, 'kind' | 'slice' | 'day' | 'key'>): TopList {
    const of = kind === 'typical' ? kind : key >= failedSeverity ? 'failed' : 'compared'
    const name = `${kind === 'typical' ? day : of} ${slice}`
    const max = examplesMax[of][slice === '' ? 'all' : 'slice']
    return this.#lists.getOrInsertComputed(name, () => new TopList(max, kind === 'worst' ? -1 : 1))
  }
}

/** A sorted list of the `max` smallest keys (`sign` 1) or the largest (−1); ties go to the smallest ids. */
class TopList {
  readonly #max: number
  readonly #sign: 1 | -1
  readonly #found: Place[] = []

  constructor(max: number, sign: 1 | -1) {
    this.#max = max
    this.#sign = sign
  }

  /** Its place in the list, from 0; `null` if it did not get in. */
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
