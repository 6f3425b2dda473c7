import { afterAll, beforeAll, expect, test } from 'vitest'
import { regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { AuditCheck } from './check-audit.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([regression])
})
afterAll(() => store?.close())

/** A check on a clock that stands, whose reads of the audit are counted, and wait for `gate`. */
function checkBehind(gate: () => Promise<void>) {
  const at = { monotonic: 0, reads: 0 }
  const db = store.db.withPlugin({
    transformQuery({ node }) {
      at.reads++
      return node
    },
    transformResult: async ({ result }) => {
      await gate()
      return result
    },
  })
  return { at, check: new AuditCheck({ db, clock: { now: () => 0, monotonic: () => at.monotonic } }) }
}

test('a check that takes long is shared for as long, and the next counts from its end', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { at, check } = checkBehind(() => promise)
  const first = check.chain()
  at.monotonic = 60_000
  const second = check.chain()
  resolve()
  expect(await second).toBe(await first)
  at.monotonic = 70_000
  await check.chain()
  expect(at.reads).toBe(1)
  at.monotonic = 70_001
  await check.chain()
  expect(at.reads).toBe(2)
})

test('a check that failed is repeated by the next call', async () => {
  const { at, check } = checkBehind(() => Promise.reject(new Error('the database is away')))
  for (const reads of [1, 2]) {
    await expect(check.chain()).rejects.toThrow('away')
    expect(at.reads).toBe(reads)
  }
})
