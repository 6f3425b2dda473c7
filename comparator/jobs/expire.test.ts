import { afterAll, beforeAll, expect, test } from 'vitest'
import { regression } from '../../test/support/comparator.ts'
import { openTestStore } from '../../test/support/intake.ts'
import { expire } from './expire.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([regression])
})
afterAll(() => store?.close())

test('what cannot be let go of keeps nothing else from going', async () => {
  const { db, comparator } = store
  const over = new Date(comparator.clock.now() - 1)
  await db
    .insertInto('session')
    .values({ hash: 'h', credential: 'c', name: 'ana', role: 'viewer', created_at: over, expires_at: over })
    .execute()
  await db.schema.alterTable('example').renameTo('example_read_by_a_backup').execute()
  await expect(expire(comparator)).rejects.toMatchObject({ cause: { message: expect.stringContaining('example') } })
  expect(await db.selectFrom('session').selectAll().execute()).toEqual([])
})
