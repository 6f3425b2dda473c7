import { setTimeout as sleep } from 'node:timers/promises'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import type { Db, Tx } from './open-database.ts'

/** SQLSTATEs of a serialization failure and of a deadlock that was ended at this transaction's cost. */
const codes = new Set(['40001', '40P01'])
/** In all. The server waits a second before it looks for a deadlock, so this many take as many seconds. */
const attemptsMax = 4
/** Doubles. Run again at once, it may take the locks before the other transaction wakes, and both deadlock anew. */
const pauseFirstMs: Milliseconds = 50

/** Whether the server undid a transaction for the sake of another one, so that the same would succeed now. */
export function isUndone(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string }
  return code !== undefined && codes.has(code)
}

/**
 * Runs a transaction, and runs it again where the server undid it, at most `attemptsMax` times in all. So `run` must
 * leave nothing outside the transaction that may not happen twice, but by `afterCommit`.
 */
export function inTransaction<Result>(db: Db, run: (tx: Tx) => Promise<Result>): Promise<Result> {
  return againWhereUndone(() => inOneTransaction(db, run))
}

const actsAfter = new WeakMap<Tx, (() => void)[]>()

/** The same without another try. */
export async function inOneTransaction<Result>(db: Db, run: (tx: Tx) => Promise<Result>): Promise<Result> {
  const acts: (() => void)[] = []
  const result = await db.transaction().execute((tx) => {
    actsAfter.set(tx, acts)
    return run(tx)
  })
  for (const act of acts) act()
  return result
}

/** Calls `act` once the transaction, which one of these functions began, is committed. */
export function afterCommit(tx: Tx, act: () => void): void {
  actsAfter.get(tx)!.push(act)
}

/** The same for a function that runs a transaction and has to clear up after one that failed. */
export async function againWhereUndone<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (attempt === attemptsMax || !isUndone(error)) throw error
    }
    await sleep(pauseFirstMs * 2 ** (attempt - 1))
  }
}
