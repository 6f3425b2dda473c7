import type { Bytes, EpochMs } from '../../../vocabulary/units.ts'
import { type BodyRow, bodyBytes } from '../../store/bodies.ts'
import type { Db, Tx } from '../../store/open-database.ts'
import type { ExampleRow, ObservationRow } from '../../store/tables.ts'
import type { KnownValidation } from '../comparator.ts'
import { ExampleChoice } from './choose-examples.ts'
import { type BodySource, bodyToKeep } from './keep-bodies.ts'

type Example = BodySource & { validation: KnownValidation; row: ObservationRow }

export interface ChosenExamples {
  examples: ExampleRow[]
  bodies: BodyRow[]
}

/** What stands for each window, by id, and what each validation's bodies take. */
class Knowledge {
  readonly choices = new Map<number, ExampleChoice>()
  readonly spent = new Map<string, Bytes>()
}

/** The examples of every window as this process knows them, and what the bodies of each validation take. */
export class KeptExamples {
  #knowledge = new Knowledge()
  /** Bodies that the byte budget did not keep, by validation, since the start. */
  readonly dropped = new Map<string, number>()

  /**
   * Reads what stands for these windows already, and what bodies take, where that is not known or no longer fresh. What
   * it returns is good for this transaction, whatever is forgotten beside it.
   */
  async learn(tx: Tx, items: readonly Example[], now: EpochMs): Promise<Knowledge> {
    const known = this.#knowledge
    for (const windowId of new Set(items.map(({ row }) => row.window_id))) {
      const choice = known.choices.get(windowId)
      if (choice && !choice.isStale(now)) continue
      known.choices.set(windowId, await ExampleChoice.read(tx, windowId, now))
    }
    for (const name of new Set(items.map(({ validation }) => validation.name))) {
      if (!known.spent.has(name)) known.spent.set(name, await bodyBytes(tx, name))
    }
    return known
  }

  /**
   * Which of these observations are examples, and the bodies that each validation's `store` keeps. Bodies from before
   * `bodiesFrom` are not kept. `known`: what was learnt for them.
   */
  choose(known: Knowledge, items: readonly Example[], { bodiesFrom }: { bodiesFrom: EpochMs }): ChosenExamples {
    const chosen: ChosenExamples = { examples: [], bodies: [] }
    for (const item of items) {
      const { examples, isShown } = known.choices.get(item.row.window_id)!.choose(item.row)
      chosen.examples.push(...examples)
      const { bodies: which } = item.validation.config.store
      const isWanted = which === 'all' || (which === 'worst' && isShown)
      if (!isWanted || item.at < bodiesFrom) continue
      const body = bodyToKeep(item)
      if (this.#fits(known, item.validation, body.bytes)) chosen.bodies.push(body)
    }
    return chosen
  }

  /** After a transaction that was rolled back, or whatever else was deleted or stored: all is read again. */
  forget(): void {
    this.#knowledge = new Knowledge()
  }

  countDropped(validation: string, count: number): void {
    this.dropped.set(validation, (this.dropped.get(validation) ?? 0) + count)
  }

  #fits(known: Knowledge, { name, config }: KnownValidation, bytes: Bytes): boolean {
    const spent = known.spent.get(name)! + bytes
    if (spent > config.store.bytesMax) {
      this.countDropped(name, 1)
      return false
    }
    known.spent.set(name, spent)
    return true
  }
}

const ofDatabases = new WeakMap<Db, KeptExamples>()

export function keptExamplesOf(db: Db): KeptExamples {
  return ofDatabases.getOrInsertComputed(db, () => new KeptExamples())
}
