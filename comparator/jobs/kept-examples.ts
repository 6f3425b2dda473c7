import type { Bytes, EpochMs } from '../../vocabulary/units.ts'
import { type BodyRow, bodyBytes } from '../store/bodies.ts'
import type { Db, Tx } from '../store/open-database.ts'
import type { ExampleRow, ObservationRow } from '../store/tables.ts'
import { ExampleChoice } from './choose-examples.ts'
import type { KnownValidation } from './comparator.ts'
import { type BodySource, bodyToKeep } from './keep-bodies.ts'

type Example = BodySource & { validation: KnownValidation; row: ObservationRow }

export interface ChosenExamples {
  examples: ExampleRow[]
  bodies: BodyRow[]
}

/** The examples of every window as this process knows them, and what the bodies of each validation take. */
export class KeptExamples {
  readonly #choices = new Map<number, ExampleChoice>()
  readonly #spent = new Map<string, Bytes>()
  /** Bodies that the byte budget did not keep, by validation, since the start. */
  readonly dropped = new Map<string, number>()

  /** Reads what stands for these windows already, and what bodies take, where that is not known or no longer fresh. */
  async learn(tx: Tx, items: readonly Example[], now: EpochMs): Promise<void> {
    for (const windowId of new Set(items.map(({ row }) => row.window_id))) {
      const choice = this.#choices.get(windowId)
      if (choice && !choice.isStale(now)) continue
      this.#choices.set(windowId, await ExampleChoice.read(tx, windowId, now))
    }
    for (const name of new Set(items.map(({ validation }) => validation.name))) {
      if (!this.#spent.has(name)) this.#spent.set(name, await bodyBytes(tx, name))
    }
  }

  /**
   * Which of these observations are examples, and the bodies that each validation's `store` keeps. Bodies from before
   * `bodiesFrom` are not kept. Of windows and validations that were learnt.
   */
  choose(items: readonly Example[], { bodiesFrom }: { bodiesFrom: EpochMs }): ChosenExamples {
    const chosen: ChosenExamples = { examples: [], bodies: [] }
    for (const item of items) {
      const { examples, isShown } = this.#choices.get(item.row.window_id)!.choose(item.row)
      chosen.examples.push(...examples)
      const { bodies: which } = item.validation.config.store
      const isWanted = which === 'all' || (which === 'worst' && isShown)
      if (!isWanted || item.at < bodiesFrom) continue
      const body = bodyToKeep(item)
      if (this.#fits(item.validation, body.bytes)) chosen.bodies.push(body)
    }
    return chosen
  }

  /** After a transaction that was rolled back, or whatever else was deleted or stored: all is read again. */
  forget(): void {
    this.#choices.clear()
    this.#spent.clear()
  }

  countDropped(validation: string, count: number): void {
    this.dropped.set(validation, (this.dropped.get(validation) ?? 0) + count)
  }

  #fits({ name, config }: KnownValidation, bytes: Bytes): boolean {
    const spent = this.#spent.get(name)! + bytes
    if (spent > config.store.bytesMax) {
      this.countDropped(name, 1)
      return false
    }
    this.#spent.set(name, spent)
    return true
  }
}

const ofDatabases = new WeakMap<Db, KeptExamples>()

export function keptExamplesOf(db: Db): KeptExamples {
  let kept = ofDatabases.get(db)
  if (kept === undefined) {
    kept = new KeptExamples()
    ofDatabases.set(db, kept)
  }
  return kept
}
