import { describe, expect, test } from 'vitest'
import { skippedOf } from '../testing/mirror-under-test.ts'
import { Coverage } from './coverage.ts'
import { Ledger } from './ledger.ts'

const at = Date.UTC(2026, 10, 21, 8, 0, 30)

describe('the ledger', () => {
  test('balances after every transition', () => {
    const ledger = new Ledger()
    const entries = Array.from({ length: 50 }, () => {
      const entry = ledger.see('v', at, 10)
      expectBalance(ledger)
      return entry
    })
    for (const [i, entry] of entries.entries()) {
      if (i % 3 === 0) ledger.skip(entry, i % 2 === 0 ? 'shed' : 'aborted')
      else ledger.deliver(entry)
      expectBalance(ledger)
    }
    expect(ledger.accounts().v).toEqual({ seen: 50, delivered: 33, pending: 0, skipped: { shed: 9, aborted: 8 } })
  })

  test('ends no exchange twice', () => {
    const ledger = new Ledger()
    const entry = ledger.see('v', at, 10)
    ledger.deliver(entry)
    expect(() => ledger.skip(entry, 'shed')).toThrow(/nothing of v is pending/)
    expectBalance(ledger)
  })

  test('counts what an earlier process left as seen and pending, but not in the coverage again', () => {
    const coverage = new Coverage('boot')
    const ledger = new Ledger(coverage)
    ledger.resume('v', 3)
    expect(ledger.accounts().v).toEqual({ seen: 3, delivered: 0, pending: 3, skipped: {} })
    expect(coverage.take(10).reports).toEqual([])
  })

  test('does not take for traffic what an earlier process left, however many segments it comes in', () => {
    const ledger = new Ledger()
    expect(ledger.arrived('v')).toBe(0)
    ledger.see('v', at, 10)
    expect(ledger.arrived('v')).toBe(1)
    ledger.resume('v', 3)
    ledger.resume('v', 4)
    ledger.see('v', at, 10)
    ledger.see('w', at, 10)
    expect([ledger.arrived('v'), ledger.arrived('w'), ledger.pending]).toEqual([2, 1, 10])
  })

  test('an account handed out is a copy', () => {
    const ledger = new Ledger()
    ledger.open('v')
    const { v } = ledger.accounts()
    ledger.skip(ledger.see('v', at, 10), 'shed')
    expect(v).toEqual({ seen: 0, delivered: 0, pending: 0, skipped: {} })
  })
})

describe('coverage', () => {
  test('reports totals so far by minute and size class, again only when they changed', () => {
    const coverage = new Coverage('boot')
    const ledger = new Ledger(coverage)
    ledger.see('v', at, 10)
    const big = ledger.see('v', at, 2 * 1024 * 1024)
    ledger.skip(big, 'tooLarge')
    const minute = '2026-11-21T08:00:00.000Z'
    const first = coverage.take(10)
    expect(first.reports).toEqual([
      { reporter: 'boot', validation: 'v', minute, sizeClass: 'le1KiB', seen: 1, skipped: {} },
      { reporter: 'boot', validation: 'v', minute, sizeClass: 'gt1MiB', seen: 1, skipped: { tooLarge: 1 } },
    ])
    first.acknowledge(false)
    expect(coverage.take(10).reports).toEqual(first.reports)
    ledger.see('v', at + 1000, 10)
    expect(coverage.take(10).reports).toEqual([{ ...first.reports[0], seen: 2 }])
    expect(coverage.take(10).reports).toEqual([])
  })

  test('of an ended process continues from the later of its reports, in any order', () => {
    const ended = new Coverage('ended')
    const ledger = new Ledger(ended)
    const tell = () => structuredClone(ended.unsettled())
    const entry = ledger.see('v', at, 10)
    const kept = tell()
    ledger.skip(entry, 'shed')
    const told = tell()
    for (const reports of [
      [kept, told],
      [told, kept],
    ]) {
      const coverage = new Coverage('next')
      for (const some of reports) coverage.restore(some, some === kept)
      expect(coverage.take(10).reports).toEqual(told)
    }
  })

  test('of ended processes is dropped beyond the limit, the oldest first', () => {
    const ended = new Coverage('ended')
    const ledger = new Ledger(ended)
    for (const minute of [1, 2, 3]) ledger.see('v', minute * 60_000, 10)
    const coverage = new Coverage('next', 2)
    coverage.restore(ended.unsettled(), true)
    expect(coverage.take(10).reports).toEqual(ended.unsettled(2))
    expect(coverage.lost).toBe(1)
  })

  test('dropped while it is being sent counts as lost, since a comparator that hangs may never get it', () => {
    const coverage = new Coverage('boot', 2)
    const ledger = new Ledger(coverage)
    ledger.see('v', at, 10)
    const { acknowledge } = coverage.take(10)
    for (const minute of [1, 2]) ledger.see('v', at + minute * 60_000, 10)
    acknowledge(false)
    expect([coverage.take(10).reports.length, coverage.lost]).toEqual([2, 1])
  })

  test('gives a supervisor the newest reports that the comparator may not have', () => {
    const coverage = new Coverage('boot')
    const ledger = new Ledger(coverage)
    const told = () => coverage.unsettled(2).map(({ minute, seen }) => [Date.parse(minute) / 60_000, seen])
    for (const minute of [1, 2, 3]) ledger.see('v', minute * 60_000, 10)
    expect(told()).toEqual([
      [2, 1],
      [3, 1],
    ])
    coverage.take(10).acknowledge(false)
    expect(told().length).toBe(2)
    const { acknowledge } = coverage.take(10)
    ledger.see('v', 2 * 60_000, 10)
    expect(told()).toEqual([
      [2, 2],
      [3, 1],
    ])
    acknowledge(true)
    expect(told()).toEqual([[2, 2]])
    coverage.take(10).acknowledge(true)
    expect(told()).toEqual([])
  })

  test('that had to forget a minute continues under another reporter, so that no total decreases', () => {
    const coverage = new Coverage('boot', 2)
    const ledger = new Ledger(coverage)
    const first = ledger.see('v', at, 10)
    coverage.take(10).acknowledge(true)
    ledger.see('v', at + 60_000, 10)
    ledger.see('v', at + 120_000, 10)
    ledger.skip(first, 'rejected')
    expect(coverage.lost).toBe(1)
    const reporters = coverage.take(10).reports.map(({ reporter, seen, skipped }) => [reporter, seen, skipped])
    expect(reporters).toEqual([
      ['boot.1', 1, {}],
      ['boot.2', 0, { rejected: 1 }],
    ])
  })
})

function expectBalance(ledger: Ledger) {
  for (const account of Object.values(ledger.accounts())) {
    expect(account.seen).toBe(account.delivered + account.pending + skippedOf(account))
  }
}
