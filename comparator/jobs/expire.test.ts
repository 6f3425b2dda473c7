import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { regression } from '../../test/support/comparator.ts'
import { openTestStore } from '../../test/support/intake.ts'
import type { Db } from '../store/database/open-database.ts'
import type { Tables } from '../store/database/tables.ts'
import { expire } from './expire.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([regression])
})
afterAll(() => store?.close())

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

test('a lost connection ends the run at the first step', async () => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  onTestFinished(() => db.destroy())
  await expect(expire({ ...store.comparator, db })).rejects.toMatchObject({
    message: 'expiry failed for: partitions',
  })
})
