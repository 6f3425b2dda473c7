import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../test/support/comparator.ts'
import { openTestStore } from '../../test/support/intake.ts'
import { mirrorReport } from '../../test/support/mirror-report.ts'
import { dayMs } from '../../vocabulary/units.ts'
import type { Db } from '../store/database/open-database.ts'
import type { Tables } from '../store/database/tables.ts'
import { listMirrors, saveMirror } from '../store/intake/mirrors.ts'
import { expire } from './expire.ts'
import { acceptObservations } from './intake/accept-observations.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([regression])
})
afterAll(() => store?.close())

test('a session is deleted once it expires, and a mirror a day after its last report', async () => {
  const { db, comparator } = store
  const now = comparator.clock.now()
  const session = (hash: string, expiresAt: number) => ({
    ...{ hash, credential: 'c', name: 'ana', role: 'viewer' as const },
    ...{ created_at: new Date(now - dayMs), expires_at: new Date(expiresAt) },
  })
  const sessions = [session('over', now), session('open', now + 1)]
  await db.insertInto('session').values(sessions).execute()
  const lastHeard = { forgotten: now - dayMs - 1, remembered: now - dayMs }
  for (const [name, at] of Object.entries(lastHeard)) {
    await saveMirror(db, { name, worker: 0, reported_at: new Date(at), report: mirrorReport({ name }) })
  }
  await expire({ ...comparator, clock: { now: () => now, monotonic: () => 0 } })
  expect(await db.selectFrom('session').select('hash').execute()).toEqual([{ hash: 'open' }])
  expect((await listMirrors(db)).map(({ name }) => name)).toEqual(['remembered'])
})

test('a step that fails does not stop the others', async () => {
  const { db, comparator } = store
  const over = new Date(comparator.clock.now() - 1)
  await db
    .insertInto('session')
    .values({ hash: 'h', credential: 'c', name: 'ana', role: 'viewer', created_at: over, expires_at: over })
    .execute()
  await db.schema.alterTable('example').renameTo('example_read_by_a_backup').execute()
  await db.schema.alterTable('mirror').renameTo('mirror_read_by_a_backup').execute()
  await expect(expire(comparator)).rejects.toMatchObject({
    message: 'expiry failed for: examples, mirrors',
    errors: [
      { message: expect.stringMatching(/^examples: .*example/) },
      { message: expect.stringMatching(/^mirrors: .*mirror/) },
    ],
  })
  expect(await db.selectFrom('session').selectAll().execute()).toEqual([])
})

test('labels are deleted in steps, oldest first, and what a step deleted stays deleted', async () => {
  const { db, comparator } = store
  await sql`
    insert into label (validation, correlation_id, truth, received_at)
    select ${regression.name}, 'c' || i, '{}', now() - interval '30 days' + i * interval '1 second'
    from generate_series(1, 15000) as i`.execute(db)
  await sql`
    create function refuse_last() returns trigger language plpgsql as
    $$ begin if old.correlation_id = 'c15000' then raise exception 'not this one'; end if; return old; end $$`.execute(
    db,
  )
  await sql`create trigger refuse_last before delete on label for each row execute function refuse_last()`.execute(db)
  const left = async () => (await db.selectFrom('label').selectAll().execute()).length
  await expect(expire(comparator)).rejects.toThrow('observations')
  expect(await left()).toBe(5000)
  await sql`drop trigger refuse_last on label`.execute(db)
  await expire(comparator).catch(() => {})
  expect(await left()).toBe(0)
})

test('a lost connection ends the run at the first step', async () => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  onTestFinished(() => db.destroy())
  await expect(expire({ ...store.comparator, db })).rejects.toMatchObject({
    message: 'expiry failed for: partitions',
  })
})

test('a window is searched for surplus only after new evidence, and bodies that intake has summed are not summed again', async () => {
  const ours = await openTestStore([{ ...regression, store: { bodies: 'worst' } }])
  onTestFinished(ours.close)
  const statements: string[] = []
  const db = ours.db.withPlugin({
    transformQuery({ node }) {
      statements.push(JSON.stringify(node))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const comparator = { ...ours.comparator, db }
  const count = (part: string) => statements.filter((statement) => statement.includes(part)).length
  const counts = async (step: () => Promise<unknown>) => {
    statements.length = 0
    await step()
    return ['delete from example e', 'delete from observation_body b', 'sum(b.bytes)'].map(count)
  }
  const { name: validation } = regression
  const answers = { primary: { prediction: 1 }, candidate: { prediction: 2 } }
  const arrive = () =>
    acceptObservations(comparator, [observation({ validation, at: comparator.clock.now(), ...answers })])
  for (const _ of ['first', 'again']) {
    expect(await counts(arrive)).toEqual([0, 0, 1])
    expect(await counts(() => expire(comparator))).toEqual([1, 1, 0])
    expect(await counts(() => expire(comparator))).toEqual([0, 0, 1])
  }
})
