import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../../runtime/testing/wait-for.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { openDatabase } from '../database/open-database.ts'
import { dropPartitionsBefore, ensurePartitions, forgetPartitions } from './partitions.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([])
})
afterAll(() => store?.close())

const names = async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname ~ '^observation_d' and relkind = 'r' order by 1`.execute(
    store.db,
  )
  return rows.map(({ name }) => name.slice(-8))
}
const onServer = Boolean(process.env.DATABASE_URL)

describe('partitions of days', () => {
  test('are created once by any number of writers', async () => {
    const days = ['2026-01-01', '2026-01-02']
    const other = onServer ? await openDatabase(store.url) : { db: store.db, close: async () => {} }
    await Promise.all([store.db, other.db, store.db].map((db) => ensurePartitions(db, 'observation', days)))
    expect(await names()).toEqual(['20260101', '20260102'])
    forgetPartitions(store.db)
    await ensurePartitions(store.db, 'observation', [...days, '1970-01-01'])
    expect(await names()).toEqual(['20260101', '20260102'])
    await other.close()
  })

  test('have the index by which a rollout’s guard finds the few answers of the candidate', async () => {
    await ensurePartitions(store.db, 'observation', ['2026-01-01'])
    const { rows } = await sql<{ definition: string }>`
      select pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = 'observation_d20260101'::regclass and indpred is not null and indisvalid`.execute(store.db)
    expect(rows.map(({ definition }) => definition)).toContainEqual(
      expect.stringMatching(/\(validation, at DESC\) WHERE \(live = 'candidate'/),
    )
  })

  test('are dropped whole, and an interrupted drop is finished', async () => {
    await ensurePartitions(store.db, 'observation', ['2026-01-03', '2026-01-04'])
    await sql`alter table observation detach partition observation_d20260102`.execute(store.db)
    expect(await dropPartitionsBefore(store.db, 'observation', '2026-01-04')).toEqual([
      'observation_d20260101',
      'observation_d20260102',
      'observation_d20260103',
    ])
    expect(await names()).toEqual(['20260104'])
    expect(await dropPartitionsBefore(store.db, 'observation', '2026-01-04')).toEqual([])
  })

  test.skipIf(!onServer)('that another session reads are dropped without holding up writers', async () => {
    await ensurePartitions(store.db, 'observation', ['2026-01-05', '2026-01-06'])
    const reader = new pg.Client({ connectionString: store.url })
    await reader.connect()
    await reader.query('begin; select count(*) from observation')
    const dropping = dropPartitionsBefore(store.db, 'observation', '2026-01-06')
    let dropped = false
    dropping.then(() => {
      dropped = true
    })
    const insert = () =>
      sql`
        insert into observation (id, window_id, validation, at, live, comparison, severity, request_bytes,
          primary_outcome, candidate_outcome, day)
        values (${randomUUID()}::uuid, 1, 'v', now(), 'primary', 'skipped', 0, 0, '{}', '{}', '2026-01-06')
      `.execute(store.db)
    const waiting = sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await waitFor(
      'the drop to wait for the reader',
      async () => (await waiting.execute(store.db)).rows.length,
      (count) => count > 0,
    )
    // behind a drop that takes the table for itself, they would wait for the reader's end
    for (let i = 0; i < 20; i++) await insert()
    expect(dropped).toBe(false)
    await reader.query('commit')
    await reader.end()
    expect(await dropping).toContain('observation_d20260105')
  })
})
