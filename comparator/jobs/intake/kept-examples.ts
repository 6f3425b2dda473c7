import type { Bytes, EpochMs } from '../../../vocabulary/units.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { ExampleRow, ObservationRow } from '../../store/database/tables.ts'
import { type BodyRow, bodyBytes } from '../../store/observations/bodies.ts'
import type { KnownValidation } from '../comparator.ts'
import { ExampleChoice } from './choose-examples.ts'
import { type BodySource, bodyToKeep } from './keep-bodies.ts'

type Example = BodySource & { validation: KnownValidation; row: ObservationRow }

export interface ChosenExamples {
  examples: ExampleRow[]
  bodies: BodyRow[]
  /** The validation of each body that is dropped for the byte budget; counted once the transaction is committed. */
  dropped: string[]
}

/** The choice of examples by window id, and the bytes that each validation's bodies take. */
class ExampleState {
  readonly choices = new Map<number, ExampleChoice>()
  readonly spent = new Map<string, Bytes>()
}

/** This process's knowledge of every window's examples and of the bytes that each validation's bodies take. */
export class KeptExamples {
  #state = new ExampleState()
  /** The revision at which each window was last pruned: no example or body has been added since. */
  readonly #pruned = new Map<number, number>()
  /** Number of bodies dropped for the byte budget since the start, by validation. */
  readonly dropped = new Map<string, number>()

  /**
   * Reads the examples of these items' windows, and the bytes of bodies, where they are unknown or stale. The result
   * stays valid for this transaction, even if `forget` is called meanwhile.
   */
  async learn(tx: Tx, items: readonly Example[], now: EpochMs): Promise<ExampleState> {
    const known = this.#state
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
   * The examples among these observations, and the bodies that each validation's `store` keeps; none from before
   * `bodiesFrom`. `known` is what `learn` returned for them.
   */
  choose(known: ExampleState, items: readonly Example[], { bodiesFrom }: { bodiesFrom: EpochMs }): ChosenExamples {
    const chosen: ChosenExamples = { examples: [], bodies: [], dropped: [] }
    for (const item of items) {
      const { examples, isShown } = known.choices.get(item.row.window_id)!.choose(item.row)
      chosen.examples.push(...examples)
      const { bodies: which } = item.validation.config.store
      const isWanted = which === 'all' || (which === 'worst' && isShown)
      if (!isWanted || item.at < bodiesFrom) continue
      const body = bodyToKeep(item)
      if (fits(known, item.validation, body.bytes)) chosen.bodies.push(body)
      else chosen.dropped.push(item.validation.name)
    }
    return chosen
  }

  /** Has everything read again: after a rollback, and after anything else was stored or deleted. */
  forget(): void {
    this.#state = new ExampleState()
  }

  isPruned(windowId: number, revision: number): boolean {
    return this.#pruned.get(windowId) === revision
  }

  notePruned(windowId: number, revision: number): void {
    this.#pruned.set(windowId, revision)
  }

  /**
   * The bytes of a validation's bodies as last read, and what this process added since; deletions since are not taken
   * off. `undefined` if nothing arrived here since they were forgotten.
   */
  spentBy(validation: string): Bytes | undefined {
    return this.#state.spent.get(validation)
  }

  countDropped(validation: string, count: number): void {
    this.dropped.set(validation, (this.dropped.get(validation) ?? 0) + count)
  }
}

function fits(known: ExampleState, { name, config }: KnownValidation, bytes: Bytes): boolean {
  const spent = known.spent.get(name)! + bytes
  if (spent > config.store.bytesMax) return false
  known.spent.set(name, spent)
  return true
}

const ofDatabases = new WeakMap<Db, KeptExamples>()

export function keptExamplesOf(db: Db): KeptExamples {
  return ofDatabases.getOrInsertComputed(db, () => new KeptExamples())
}
