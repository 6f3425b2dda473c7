import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { rollupDifferences, rollupsOfStream, storedRollups } from '../../../test/support/recount.ts'
import { lockValidations } from '../../store/database/lock-validations.ts'
import { openDatabase } from '../../store/database/open-database.ts'
import { acceptObservations } from './accept-observations.ts'

const onServer = process.env.DATABASE_URL !== undefined
if (!onServer) console.warn('DATABASE_URL is not set: the test of a deadlock in the intake is skipped')

test.skipIf(!onServer)('a bundle whose transaction ends a deadlock is stored once, without an error', async () => {
  const store = await openTestStore([regression])
  const others = await openDatabase(store.url)
  const validation = store.comparator.validations.get(regression.name)!
  const at = Date.now()
  const observations = Array.from({ length: 20 }, (_, i) =>
    observation({ validation: regression.name, at, primary: { prediction: i }, candidate: { prediction: i + 1 } }),
  )
  const released = Promise.withResolvers<void>()
  try {
    // makes the partitions; else the intake would make them first, without its validation's lock
    const known = [observations[0]!, observations.at(-1)!]
    await acceptObservations(store.comparator, known)
    const held = Promise.withResolvers<void>()
    // stops the intake after it has taken its validation's lock
    const holder = others.db.transaction().execute(async (tx) => {
      await sql`lock table observation in access exclusive mode`.execute(tx)
      held.resolve()
      await released.promise
    })
    await held.promise
    const deadlocking = Promise.withResolvers<void>()
    const other = others.db.transaction().execute(async (tx) => {
      // so that the server ends the deadlock at the intake's cost
      await sql`set local deadlock_timeout = '1h'`.execute(tx)
      await sql`lock table rollup in access exclusive mode`.execute(tx)
      deadlocking.resolve()
      await waiting(sql`locktype = 'relation' and relation = 'observation'::regclass`)
      await lockValidations(tx, [regression.name])
    })
    await deadlocking.promise
    const accepting = acceptObservations(store.comparator, observations)
    await waiting(sql`locktype = 'advisory'`)
    released.resolve()
    const accepted = observations.length - known.length
    expect(await accepting).toEqual({ accepted, duplicates: known.length, rejected: [] })
    await Promise.all([holder, other])
    await expect.poll(deadlocks).toBe(1)
    const stored = await storedRollups(store.db, validation)
    expect(rollupDifferences(stored, rollupsOfStream(validation, observations))).toEqual([])
  } finally {
    released.resolve()
    await others.close()
    await store.close()
  }

  /** Resolves once somebody in this database waits for such a lock. */
  async function waiting(lock: RawBuilder<unknown>): Promise<void> {
    await expect
      .poll(async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*) as waiting from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and not granted and ${lock}
        `.execute(store.db)
        return rows[0]!.waiting
      })
      .toBe(1)
  }

  async function deadlocks(): Promise<number> {
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()
    `.execute(store.db)
    return rows[0]!.deadlocks
  }
})
