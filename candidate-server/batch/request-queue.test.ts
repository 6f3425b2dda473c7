import { describe, expect, test } from 'vitest'
import { type BatchLimits, type Queued, RequestQueue, shadowRank } from './request-queue.ts'

interface Item extends Queued {
  id: number
}

const queueOf = (limits: BatchLimits, max = 1000) => new RequestQueue<Item>(max, limits)
const item = (
  id: number,
  arrivedAt: number,
  { key = 'a' as string | null, rows = 1, rank = 0, expiresAt = 1e9 } = {},
): Item => ({
  id,
  key,
  rows,
  rank,
  arrivedAt,
  expiresAt,
})
const ids = (batch: Item[] | undefined) => batch?.map(({ id }) => id)

describe('a batch', () => {
  test('waits to be filled until its oldest request has waited long enough', () => {
    const queue = queueOf({ sizeMax: 4, delayMaxMs: 10 })
    queue.add(item(1, 100))
    queue.add(item(2, 108))
    expect(queue.takeBatch(109)).toBeUndefined()
    expect(queue.wakeAt(true)).toBe(110)
    expect(ids(queue.takeBatch(110))).toEqual([1, 2])
    expect(queue.length).toBe(0)
  })

  test('goes early when full, even before an older batch of another shape', () => {
    const queue = queueOf({ sizeMax: 2, delayMaxMs: 10 })
    queue.add(item(1, 100, { key: 'a' }))
    queue.add(item(2, 101, { key: 'b' }))
    queue.add(item(3, 102, { key: 'b' }))
    expect(ids(queue.takeBatch(103))).toEqual([2, 3])
    expect(queue.takeBatch(103)).toBeUndefined()
    expect(ids(queue.takeBatch(110))).toEqual([1])
  })

  test('does not split a request, and a request never overtakes one of the same shape', () => {
    const queue = queueOf({ sizeMax: 8, delayMaxMs: 10 })
    queue.add(item(1, 100, { rows: 5 }))
    queue.add(item(2, 100, { rows: 5 }))
    queue.add(item(3, 100, { rows: 1 }))
    expect(ids(queue.takeBatch(100))).toEqual([1])
    expect(ids(queue.takeBatch(110))).toEqual([2, 3])
  })

  test('a request with more rows than a batch runs alone', () => {
    const queue = queueOf({ sizeMax: 4, delayMaxMs: 10 })
    queue.add(item(1, 100, { rows: 9 }))
    queue.add(item(2, 100))
    expect(ids(queue.takeBatch(100))).toEqual([1])
  })

  test('a request without a key is due at once', () => {
    const queue = queueOf({ sizeMax: 4, delayMaxMs: 10 })
    queue.add(item(1, 100, { key: null }))
    queue.add(item(2, 100, { key: null }))
    expect(ids(queue.takeBatch(100))).toEqual([1])
    expect(ids(queue.takeBatch(100))).toEqual([2])
  })
})

test('a full queue refuses requests, and accepts them again once one has left', () => {
  const queue = queueOf({ sizeMax: 4, delayMaxMs: 10 }, 2)
  const first = item(1, 0)
  const third = item(3, 0)
  expect([queue.add(first), queue.add(item(2, 0)), queue.add(third)]).toEqual([undefined, undefined, third])
  expect([queue.remove(first), queue.remove(first)]).toEqual([true, false])
  expect(queue.add(item(4, 0))).toBeUndefined()
})

describe('mirrored requests yield', () => {
  const shadow = { rank: shadowRank }

  test('to live ones that come later, and never share their batch', () => {
    const queue = queueOf({ sizeMax: 8, delayMaxMs: 0 })
    queue.add(item(1, 100, shadow))
    queue.add(item(2, 100, shadow))
    queue.add(item(3, 101))
    queue.add(item(4, 102, { key: 'b' }))
    expect([ids(queue.takeBatch(103)), ids(queue.takeBatch(103)), ids(queue.takeBatch(103))]).toEqual([
      [3],
      [4],
      [1, 2],
    ])
  })

  test('to live ones that still wait for their batch to fill', () => {
    const queue = queueOf({ sizeMax: 4, delayMaxMs: 10 })
    queue.add(item(1, 80, shadow))
    queue.add(item(2, 100))
    expect(queue.takeBatch(105)).toBeUndefined()
    expect(queue.wakeAt(true)).toBe(110)
    expect([ids(queue.takeBatch(110)), ids(queue.takeBatch(110))]).toEqual([[2], [1]])
  })

  test('their place in a full queue: the newest one leaves, and a shadow never displaces anything', () => {
    const queue = queueOf({ sizeMax: 1, delayMaxMs: 0 }, 3)
    queue.add(item(1, 100, shadow))
    queue.add(item(2, 101, { ...shadow, key: 'b' }))
    queue.add(item(3, 102))
    const late = item(4, 103, shadow)
    expect(queue.add(late)).toBe(late)
    expect(queue.add(item(5, 104))?.id).toBe(2)
    expect(queue.add(item(6, 105))?.id).toBe(1)
    const seventh = item(7, 106)
    expect(queue.add(seventh)).toBe(seventh)
    expect([ids(queue.takeBatch(110)), ids(queue.takeBatch(110)), ids(queue.takeBatch(110))]).toEqual([[3], [5], [6]])
  })
})

test('lower ranks go first, also within a shape, and a new request does not hold up a due one', () => {
  const queue = queueOf({ sizeMax: 2, delayMaxMs: 10 })
  queue.add(item(1, 100, { rank: 5 }))
  queue.add(item(2, 101, { rank: 1, key: 'b' }))
  queue.add(item(3, 109, { rank: 1 }))
  expect(ids(queue.takeBatch(109))).toEqual([3, 1])
  queue.add(item(4, 100, { rank: 5 }))
  expect([ids(queue.takeBatch(111)), ids(queue.takeBatch(111))]).toEqual([[2], [4]])
})

test('a batch is due once its oldest request has waited long enough, even if another rank goes before it', () => {
  const queue = queueOf({ sizeMax: 4, delayMaxMs: 10 })
  queue.add(item(1, 100, { rank: 5 }))
  queue.add(item(2, 109, { rank: 1 }))
  expect(queue.takeBatch(109)).toBeUndefined()
  expect(ids(queue.takeBatch(110))).toEqual([2, 1])
})

test('a full batch of shadows is only taken ahead where shadows may be', () => {
  const queue = queueOf({ sizeMax: 2, delayMaxMs: 10 })
  queue.add(item(1, 100, { rank: shadowRank }))
  queue.add(item(2, 101, { rank: shadowRank }))
  expect(queue.takeFullBatch('not')).toBeUndefined()
  expect(ids(queue.takeFullBatch('too'))).toEqual([1, 2])
})

test('requests that are put back keep their turn, over the limit if need be', () => {
  const queue = queueOf({ sizeMax: 4, delayMaxMs: 0 }, 2)
  queue.add(item(3, 103))
  queue.add(item(4, 104))
  queue.putBack([item(1, 101, { key: null }), item(2, 102, { key: null })])
  expect(queue.length).toBe(4)
  expect([ids(queue.takeBatch(110)), ids(queue.takeBatch(110)), ids(queue.takeBatch(110))]).toEqual([[1], [2], [3, 4]])
})

test('when all leave at once, each does so in its turn and none is left to come again', () => {
  const queue = queueOf({ sizeMax: 4, delayMaxMs: 0 })
  queue.add(item(1, 100, { rank: shadowRank }))
  queue.add(item(2, 102))
  queue.add(item(3, 101, { key: 'b' }))
  expect(ids(queue.takeAll())).toEqual([3, 2, 1])
  expect([queue.length, queue.takeBatch(200), queue.wakeAt(true)]).toEqual([0, undefined, undefined])
})

test('expired requests leave, and their expiry is the next wake-up while no instance is free', () => {
  const queue = queueOf({ sizeMax: 4, delayMaxMs: 10 })
  queue.add(item(1, 0, { expiresAt: 50 }))
  queue.add(item(2, 0, { expiresAt: 70 }))
  expect(queue.wakeAt(false)).toBe(50)
  expect(ids(queue.takeExpired(50))).toEqual([1])
  expect(queue.length).toBe(1)
  expect(queue.wakeAt(false)).toBe(70)
})

/** A small seeded generator, so that failures can be reproduced. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

test('law: in any order of events, each request leaves once, shapes never mix, batches never exceed the limit', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = random(seed)
    const limits = { sizeMax: 1 + Math.floor(next() * 8), delayMaxMs: Math.floor(next() * 20) }
    const queue = queueOf(limits, 1 + Math.floor(next() * 40))
    const accepted = new Set<Item>()
    const left = new Map<Item, number>()
    const leave = (gone: Item) => left.set(gone, (left.get(gone) ?? 0) + 1)
    let now = 0
    for (let id = 0; id < 100; id++) {
      now += Math.floor(next() * 8)
      const key = next() < 0.1 ? null : 'abc'[Math.floor(next() * 3)]!
      const rank = next() < 0.3 ? shadowRank : Math.floor(next() * 2)
      const request = item(id, now, { key, rank, rows: 1 + Math.floor(next() * 4), expiresAt: now + 30 })
      const turnedAway = queue.add(request)
      if (turnedAway !== request) accepted.add(request)
      if (turnedAway && turnedAway !== request) {
        expect([turnedAway.rank === shadowRank, rank === shadowRank]).toEqual([true, false])
        leave(turnedAway)
      }
      if (next() < 0.1 && queue.remove(request)) leave(request)
      for (const expired of queue.takeExpired(now)) {
        expect(expired.expiresAt).toBeLessThanOrEqual(now)
        leave(expired)
      }
      const batch = next() < 0.5 ? queue.takeBatch(now) : undefined
      if (!batch) continue
      const rows = batch.reduce((sum, { rows }) => sum + rows, 0)
      expect(new Set(batch.map(({ key }) => key)).size, `seed ${seed}`).toBe(1)
      const shadows = batch.filter(({ rank }) => rank === shadowRank)
      expect([0, batch.length], `seed ${seed}`).toContain(shadows.length)
      const live = [...accepted].filter((one) => one.rank !== shadowRank && !left.has(one) && !batch.includes(one))
      if (shadows.length > 0) expect(live, `seed ${seed}`).toEqual([])
      if (batch.length > 1) {
        expect(batch[0]!.key).not.toBeNull()
        expect(rows, `seed ${seed}`).toBeLessThanOrEqual(limits.sizeMax)
      }
      if (batch[0]!.key !== null && rows < limits.sizeMax && now < batch[0]!.arrivedAt + limits.delayMaxMs) {
        // early only if the next request of its shape no longer fitted
        expect(queue.length, `seed ${seed}`).toBeGreaterThan(0)
      }
      for (const request of batch) leave(request)
    }
    now += 1000
    for (const expired of queue.takeExpired(now)) leave(expired)
    expect(queue.length).toBe(0)
    expect([...left.keys()].every((request) => accepted.has(request))).toBe(true)
    expect(
      [...accepted].every((request) => left.get(request) === 1),
      `seed ${seed}`,
    ).toBe(true)
  }
})
