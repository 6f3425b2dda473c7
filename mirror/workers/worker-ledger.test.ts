import { expect, test } from 'vitest'
import type { Account } from '../ledger/ledger.ts'
import { nothingResumed, type Resumed } from '../ledger/resumed.ts'
import { skippedOf } from '../testing/mirror-under-test.ts'
import { addAccounts, WorkerLedger } from './worker-ledger.ts'

const account = (seen: number, delivered: number, pending: number, skipped = {}): Account => ({
  seen,
  delivered,
  pending,
  skipped,
})
const found = (counts: Record<string, number>, isAll = true): Resumed => ({ counts, isAll })
const isBalanced = (one: Account) => one.seen === one.delivered + one.pending + skippedOf(one)

test('a dead worker’s last report stands until its successor is up', () => {
  const ledger = new WorkerLedger()
  ledger.succeeded(nothingResumed)
  ledger.hear({ v: account(10, 6, 3, { notSampled: 1 }) })
  expect(ledger.accounts().v).toEqual(account(10, 6, 3, { notSampled: 1 }))
})

test('what a successor finds on disk stays pending and is counted once; the rest is shed', () => {
  const ledger = new WorkerLedger()
  ledger.succeeded(nothingResumed)
  ledger.hear({ v: account(10, 4, 6) })
  ledger.succeeded(found({ v: 4 }))
  expect(ledger.accounts().v).toEqual(account(10, 4, 4, { shed: 2 }))
  ledger.hear({ v: account(7, 6, 1) })
  expect(ledger.accounts().v).toEqual(account(13, 10, 1, { shed: 2 }))
})

test('what was delivered before and is delivered again by the successor is counted once', () => {
  const ledger = new WorkerLedger()
  ledger.succeeded(nothingResumed)
  // five on disk in one segment, of which three have been delivered
  ledger.hear({ v: account(5, 3, 2) })
  ledger.succeeded(found({ v: 5 }))
  expect(ledger.accounts().v).toEqual(account(5, 3, 2))
  ledger.hear({ v: account(6, 4, 2) })
  expect(ledger.accounts().v).toEqual(account(6, 4, 2))
  ledger.hear({ v: account(6, 6, 0) })
  expect(ledger.accounts().v).toEqual(account(6, 6, 0))
})

test('what a successor finds later because its disk failed at first was counted as shed and stays so', () => {
  const ledger = new WorkerLedger()
  ledger.succeeded(nothingResumed)
  ledger.hear({ v: account(10, 4, 6) })
  ledger.succeeded(nothingResumed)
  expect(ledger.accounts().v).toEqual(account(10, 4, 0, { shed: 6 }))
  ledger.hear({ v: account(6, 1, 5) }, found({ v: 5 }))
  expect(ledger.accounts().v).toEqual(account(11, 4, 1, { shed: 6 }))
  ledger.hear({ v: account(9, 6, 3) }, found({ v: 8 }))
  // one more than was lost: nobody had counted it
  ledger.hear({ v: account(9, 9, 0) }, found({ v: 8 }))
  expect(ledger.accounts().v).toEqual(account(13, 7, 0, { shed: 6 }))
})

test('what a successor has delivered before it finds more stays delivered', () => {
  const ledger = new WorkerLedger()
  ledger.succeeded(nothingResumed)
  ledger.hear({ v: account(10, 4, 6) })
  ledger.succeeded(nothingResumed)
  ledger.hear({ v: account(3, 3, 0) })
  expect(ledger.accounts().v).toEqual(account(13, 7, 0, { shed: 6 }))
  ledger.hear({ v: account(8, 3, 5) }, found({ v: 5 }))
  expect(ledger.accounts().v).toEqual(account(13, 7, 0, { shed: 6 }))
  ledger.hear({ v: account(10, 6, 4) }, found({ v: 6 }))
  expect(ledger.accounts().v).toEqual(account(14, 7, 1, { shed: 6 }))
  ledger.hear({ v: account(10, 10, 0) }, found({ v: 6 }))
  expect(ledger.accounts().v).toEqual(account(14, 8, 0, { shed: 6 }))
  // its own successor has delivered nothing yet
  ledger.succeeded(found({ v: 3 }))
  expect(ledger.accounts().v).toEqual(account(14, 8, 0, { shed: 6 }))
})

test('while a successor reads the disk, what is not found yet stays pending', () => {
  const ledger = new WorkerLedger()
  ledger.succeeded(nothingResumed)
  ledger.hear({ v: account(10, 4, 6) })
  ledger.succeeded(found({}, false))
  expect(ledger.accounts().v).toEqual(account(10, 4, 6))
  ledger.hear({ v: account(4, 0, 4) }, found({ v: 3 }, false))
  expect(ledger.accounts().v).toEqual(account(11, 4, 7))
  ledger.hear({ v: account(7, 0, 7) }, found({ v: 5 }))
  expect(ledger.accounts().v).toEqual(account(12, 4, 7, { shed: 1 }))
  ledger.hear({ v: account(7, 7, 0) })
  expect(ledger.accounts().v).toEqual(account(12, 11, 0, { shed: 1 }))
})

test('what the first worker finds is counted: nobody counted it before', () => {
  const ledger = new WorkerLedger()
  ledger.succeeded(found({ v: 3 }))
  expect(ledger.accounts().v).toEqual(account(3, 0, 3))
  // nor what it finds later
  ledger.hear({ v: account(3, 1, 2), w: account(2, 0, 2) }, found({ v: 3, w: 2 }))
  expect(ledger.accounts()).toEqual({ v: account(3, 1, 2), w: account(2, 0, 2) })
})

test('accounts add up by validation and reason', () => {
  const sum = addAccounts([
    { a: account(3, 1, 1, { shed: 1 }) },
    { a: account(2, 0, 0, { shed: 1, tooLarge: 1 }), b: account(1, 1, 0) },
  ])
  expect(sum).toEqual({ a: account(5, 1, 1, { shed: 2, tooLarge: 1 }), b: account(1, 1, 0) })
})

/** A worker with a spool, whose every exchange is known, so that the right counts are known too. */
function simulate(random: () => number): void {
  const ledger = new WorkerLedger()
  let disk: { isDelivered: boolean }[] = []
  let unread = 0
  let resumed = 0
  let given = 0
  let memory = 0
  let own = account(0, 0, 0)
  const truth = { seen: 0, delivered: 0, lost: 0 }
  const steps = [
    function see() {
      own = { ...own, seen: own.seen + 1, pending: own.pending + 1 }
      memory++
      truth.seen++
    },
    function spool() {
      disk.push(...Array.from({ length: memory }, () => ({ isDelivered: false })))
      memory = 0
    },
    function read() {
      const count = Math.min(unread, 1 + Math.floor(random() * 4))
      unread -= count
      resumed += count
      own = { ...own, seen: own.seen + count, pending: own.pending + count }
    },
    function deliver() {
      const record = disk[given]
      if (!record || unread > 0) return
      given++
      own = { ...own, delivered: own.delivered + 1, pending: own.pending - 1 }
      if (!record.isDelivered) truth.delivered++
      record.isDelivered = true
    },
    function dropSegment() {
      if (given < disk.length || unread > 0) return
      disk = []
      given = 0
    },
    function crash() {
      truth.lost += memory
      memory = 0
      given = 0
      unread = disk.length
      resumed = 0
      own = account(0, 0, 0)
      ledger.succeeded(found({}, unread === 0))
    },
  ]
  let last = account(0, 0, 0)
  ledger.succeeded(nothingResumed)
  for (let i = 0; i < 200; i++) {
    steps[Math.floor(random() * steps.length)]!()
    if (random() < 0.9) ledger.hear({ v: own }, found({ v: resumed }, unread === 0))
    const now = ledger.accounts().v ?? last
    const isRight =
      isBalanced(now) &&
      now.pending >= 0 &&
      now.seen >= last.seen &&
      now.delivered >= last.delivered &&
      skippedOf(now) >= skippedOf(last) &&
      now.seen <= truth.seen &&
      now.delivered <= truth.delivered + truth.lost
    expect({ isRight, now, last, truth }).toMatchObject({ isRight: true })
    last = now
  }
}

test('through any crashes the accounts balance, never decrease, and count nothing twice', () => {
  for (let seed = 1; seed <= 50; seed++) simulate(parkMiller(seed))
})

function parkMiller(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
