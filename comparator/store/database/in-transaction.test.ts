import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { afterCommit, inTransaction } from './in-transaction.ts'
import { openDatabase, type Tx } from './open-database.ts'

const onServer = process.env.DATABASE_URL !== undefined
if (!onServer) console.warn('DATABASE_URL is not set: the tests of transactions at once are skipped')

let database: TestDatabase
let store: Awaited<ReturnType<typeof openDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
  store = await openDatabase(database.url)
  await sql`create table account (name text primary key, amount integer not null)`.execute(store.db)
})
afterAll(async () => {
  await store?.close()
  await database?.drop()
})

const raise = (code: string) => sql`do ${sql.lit(`begin raise exception using errcode = '${code}'; end`)}`
const open = (...names: string[]) =>
  sql`insert into account select name, 0 from unnest(${names}::text[]) as name`.execute(store.db)
const add = (tx: Tx, name: string) => sql`update account set amount = amount + 1 where name = ${name}`.execute(tx)
const amountsOf = async (...names: string[]) => {
  const { rows } = await sql<{ amount: number }>`
    select amount from account where name = any(${names}) order by name
  `.execute(store.db)
  return rows.map(({ amount }) => amount)
}

/** Lets nobody through before `count` have come; whoever comes later goes through at once. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let come = 0
  return () => {
    come += 1
    if (come >= count) resolve()
    return promise
  }
}

test.skipIf(!onServer)('where two transactions deadlock, the undone one runs again, and both count once', async () => {
  await open('a', 'b')
  const both = barrier(2)
  let runs = 0
  const inOrder = (first: string, second: string) =>
    inTransaction(store.db, async (tx) => {
      runs += 1
      await add(tx, first)
      await both()
      await add(tx, second)
    })
  await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')])
  expect(runs).toBeGreaterThan(2)
  expect(await amountsOf('a', 'b')).toEqual([2, 2])
})

test.skipIf(!onServer)('a transaction that another one overtook runs again, and both count once', async () => {
  await open('c')
  const both = barrier(2)
  let runs = 0
  const addOne = () =>
    inTransaction(store.db, async (tx) => {
      runs += 1
      await sql`set transaction isolation level repeatable read`.execute(tx)
      await sql`select from account`.execute(tx)
      await both()
      await add(tx, 'c')
    })
  await Promise.all([addOne(), addOne()])
  expect(runs).toBe(3)
  expect(await amountsOf('c')).toEqual([2])
})

test.each([
  ['40P01', 4],
  ['40001', 4],
  ['23505', 1],
])('one that ends with %s every time runs %i times, and leaves nothing', async (code, runsMax) => {
  await open(code)
  let runs = 0
  const run = inTransaction(store.db, async (tx) => {
    runs += 1
    await add(tx, code)
    await raise(code).execute(tx)
  })
  await expect(run).rejects.toMatchObject({ code })
  expect(runs).toBe(runsMax)
  expect(await amountsOf(code)).toEqual([0])
})

test('what a transaction that runs again leaves for after the commit happens once, and never where it fails', async () => {
  const done: string[] = []
  let runs = 0
  await inTransaction(store.db, async (tx) => {
    afterCommit(tx, () => done.push('after'))
    runs += 1
    if (runs < 3) await raise('40P01').execute(tx)
    expect(done).toEqual([])
  })
  expect([runs, done]).toEqual([3, ['after']])
  const failing = inTransaction(store.db, async (tx) => {
    afterCommit(tx, () => done.push('never'))
    await raise('23505').execute(tx)
  })
  await expect(failing).rejects.toMatchObject({ code: '23505' })
  expect(done).toEqual(['after'])
})
