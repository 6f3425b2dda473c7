import { expect, test } from 'vitest'
import { autoRssMax, type RecycleLimits, RecyclePolicy } from './recycle-policy.ts'

const MiB = 1024 * 1024

function policyOf(limits: RecycleLimits) {
  const hands = { now: 0 }
  const policy = new RecyclePolicy(limits, { now: () => hands.now, monotonic: () => hands.now })
  return { policy, hands }
}

test('by default a process may grow to twice its warm size plus half a gibibyte', () => {
  const { policy } = policyOf({ rssMax: 'auto' })
  policy.begin(100 * MiB)
  expect(autoRssMax(100 * MiB)).toBe(712 * MiB)
  expect(policy.limitReached(1e9, 712 * MiB)).toBeUndefined()
  expect(policy.limitReached(1, 712 * MiB + 1)).toBe('limits.rssMax')
})

test('by default a run keeps half of the memory between a fresh process and limits.runRssMax', () => {
  const { policy } = policyOf({ rssMax: 'auto', runRssMax: 500 * MiB })
  policy.begin(100 * MiB)
  expect(policy.limitReached(1, 300 * MiB)).toBeUndefined()
  expect(policy.limitReached(1, 300 * MiB + 1)).toBe('limits.rssMax')
  expect(autoRssMax(100 * MiB, 6000 * MiB)).toBe(712 * MiB)
})

test('an explicit limit takes precedence, and none disables it', () => {
  const own = policyOf({ rssMax: 50 * MiB, recycleAfter: 3 }).policy
  own.begin(100 * MiB)
  expect(own.limitReached(2, 50 * MiB)).toBeUndefined()
  expect(own.limitReached(2, 60 * MiB)).toBe('limits.rssMax')
  const none = policyOf({ rssMax: 'none' }).policy
  none.begin(100 * MiB)
  expect(none.limitReached(1e9, 1e15)).toBeUndefined()
})

test('memory that fills again at once is recycled ever less often, and a slow leak as often as before', () => {
  const { policy, hands } = policyOf({ rssMax: 1 })
  /** Times at which a process that is over the limit from its first run is replaced. */
  const replacedAt: number[] = []
  policy.begin(0)
  for (; hands.now < 7_200_000; hands.now += 1_000) {
    if (!policy.limitReached(1, 2)) continue
    replacedAt.push(hands.now)
    policy.begin(0)
  }
  const pauses = replacedAt.slice(1).map((at, i) => at - replacedAt[i]!)
  expect(pauses.slice(0, 7)).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000])
  expect(Math.max(...pauses)).toBe(600_000)
  const afterEachRun = policyOf({ rssMax: 'none', recycleAfter: 1 })
  afterEachRun.policy.begin(0)
  expect(afterEachRun.policy.limitReached(1, 0)).toBe('limits.recycleAfter')
  afterEachRun.hands.now = 9_999
  expect(afterEachRun.policy.limitReached(1, 0)).toBeUndefined()
  afterEachRun.hands.now = 10_000
  expect(afterEachRun.policy.limitReached(1, 0)).toBe('limits.recycleAfter')
})

test('a process whose successors fail is replaced ever less often, and as often as before once they start', () => {
  const { policy, hands } = policyOf({ rssMax: 'none', recycleAfter: 1 })
  const next = () => {
    while (!policy.limitReached(1, 0)) hands.now += 1_000
    return hands.now
  }
  policy.begin(0)
  expect([next(), next(), next(), next(), next()]).toEqual([0, 10_000, 20_000, 40_000, 80_000])
  const replacedAt = [1, 2, 3, 4].map(() => {
    const at = next()
    policy.begin(0)
    return at
  })
  expect(replacedAt[3]! - replacedAt[2]!).toBe(10_000)
})
