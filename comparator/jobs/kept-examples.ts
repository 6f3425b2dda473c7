import type { Bytes, EpochMs } from '../../vocabulary/units.ts'
import { type BodyRow, bodyBytes, insertBodies } from '../store/bodies.ts'
import { insertExamples } from '../store/examples.ts'
import type { Db, Tx } from '../store/open-database.ts'
import type { ExampleRow, ObservationRow } from '../store/tables.ts'
import { ExampleChoice } from './choose-examples.ts'
import type { KnownValidation } from './comparator.ts'
import { type BodySource, bodyToKeep } from './keep-bodies.ts'

/** The examples of every window as this process knows them, and what the bodies of each validation take. */
export class KeptExamples {
  readonly #choices = new Map<number, ExampleChoice>()
  readonly #spent = new Map<string, Bytes>()
  /** Bodies that the byte budget did not keep, by validation, since the start. */
  readonly dropped = new Map<string, number>()

  /**
   * Stores which of these observations are examples, and the bodies that each validation's `store` keeps. Bodies from
   * before `bodiesFrom` are not kept.
   */
  async keep(
    tx: Tx,
    items: readonly (BodySource & { validation: KnownValidation; row: ObservationRow })[],
    { now, bodiesFrom }: { now: EpochMs; bodiesFrom: EpochMs },
  ): Promise<void> {
    const examples: ExampleRow[] = []
    const bodies: BodyRow[] = []
    for (const item of items) {
      const choice = await this.#choiceOf(tx, item.row.window_id, now)
      const chosen = choice.choose(item.row)
      examples.push(...chosen.examples)
      const { bodies: which } = item.validation.config.store
      const isWanted = which === 'all' || (which === 'worst' && chosen.isShown)
      if (!isWanted || item.at < bodiesFrom) continue
      const body = bodyToKeep(item)
      if (await this.#fits(tx, item.validation, body.bytes)) bodies.push(body)
    }
    await insertExamples(tx, examples)
    await insertBodies(tx, bodies)
  }

  /** After a transaction that was rolled back, or whatever else was deleted or stored: all is read again. */
  forget(): void {
    this.#choices.clear()
    this.#spent.clear()
  }

  countDropped(validation: string, count: number): void {
    this.dropped.set(validation, (this.dropped.get(validation) ?? 0) + count)
  }

  async #choiceOf(tx: Tx, windowId: number, now: EpochMs): Promise<ExampleChoice> {
    let choice = this.#choices.get(windowId)
    if (choice === undefined || choice.isStale(now)) {
      choice = await ExampleChoice.read(tx, windowId, now)
      this.#choices.set(windowId, choice)
    }
    return choice
  }

  async #fits(tx: Tx, { name, config }: KnownValidation, bytes: Bytes): Promise<boolean> {
    const spent = (this.#spent.get(name) ?? (await bodyBytes(tx, name))) + bytes
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
