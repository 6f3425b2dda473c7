import { expect, test } from 'vitest'
import { spanBefore, spannedBy } from './spanned.ts'

const hour = 3_600_000
const day = 24 * hour
const duration = 30 * day
const exchanges = (compared: number) => ({ n: 1, sum: compared, sumSq: compared, min: compared, max: compared })
/** Hourly buckets at these hours, with an exchange that was compared, or skipped. */
const rangeOf = (hours: number[], skippedAt: number[] = []) => ({
  from: 0,
  to: 40 * day,
  bucketMs: hour,
  buckets: [...hours, ...skippedAt]
    .sort((a, b) => a - b)
    .map((at) => ({
      at: at * hour,
      sums: new Map([['exchange:le1KiB', exchanges(skippedAt.includes(at) ? 0 : 1)]]),
    })),
  groups: [],
})
const hours = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

test('steady evidence spans from its first exchange to its last, at most the duration', () => {
  const lastAt = 480 * hour
  const window = { beganAt: 0.5 * hour, lastAt, duration, before: undefined }
  expect(spannedBy(rangeOf(hours(0, 481)), window)).toBe(479.5 * hour)
  const at = { beganAt: 0, lastAt: 960 * hour - 1, before: 229 * hour }
  const longer = spannedBy(rangeOf(hours(230, 961)), { ...at, duration })
  expect(longer).toBe(duration)
})

test('one stray exchange at the start does not make a month', () => {
  const lastAt = 30 * day + hour
  const spanned = spannedBy(rangeOf([0, ...hours(713, 721)]), { beganAt: 0, lastAt, duration, before: undefined })
  expect(spanned).toBeLessThan(14 * day)
})

test('nights and weekends without traffic count as spanned', () => {
  const workingHours = hours(0, 24 * 35).filter((at) => Math.floor(at / 24) % 7 < 5 && at % 24 >= 8 && at % 24 < 18)
  // on a Monday and a Tuesday, 30 days ago was a weekend
  for (const last of workingHours.filter((at) => at >= 30 * 24 + 8)) {
    const judged = workingHours.filter((at) => at >= last - 720 && at <= last)
    const before = workingHours.findLast((at) => at < last - 720)! * hour
    const lastAt = last * hour + 1
    expect(spannedBy(rangeOf(judged), { beganAt: 8 * hour, lastAt, duration, before })).toBe(duration)
  }
  const week = spannedBy(
    rangeOf(hours(0, 168).filter((at) => Math.floor(at / 24) !== 2 && Math.floor(at / 24) !== 3)),
    {
      beganAt: 0,
      lastAt: 167.5 * hour,
      duration: 7 * day,
      before: undefined,
    },
  )
  expect(week).toBe(167.5 * hour)
})

test('exchanges that were skipped span no time, but a gap of them between others counts like one without any', () => {
  const window = { beganAt: 0, lastAt: duration, duration, before: undefined }
  const spanned = (compared: number[]) =>
    spannedBy(
      rangeOf(
        compared,
        hours(0, 721).filter((at) => !compared.includes(at)),
      ),
      window,
    )
  // two days of traffic beside a month of probes that the primary refuses
  expect(spanned(hours(0, 48))).toBeLessThan(15 * day)
  expect(spanned(hours(672, 720))).toBe(2 * day)
  expect(spanned([...hours(0, 500), ...hours(700, 721)])).toBe(duration)
  expect(spanned(hours(0, 500))).toBe(500 * hour)
  expect(spanned([])).toBe(0)
})

test('what is only skipped at the end does not count, and hides nothing that was compared before the judged range', () => {
  const spanned = (lastAt: number, last: number, first = 0) => {
    const newest = Math.floor(lastAt / hour)
    const from = Math.max(first, newest - 720)
    const range = { ...rangeOf(hours(from, last + 1), hours(last + 1, newest + 1)), from: from * hour }
    const window = { beganAt: first * hour, lastAt, duration }
    const asked = spanBefore(range, window)
    const before = asked && hours(first, from).findLast((at) => at * hour >= asked.from && at * hour < asked.to)
    return spannedBy(range, { ...window, before: before && before * hour })
  }
  // what comes first in an hour was skipped
  expect(spanned(1000 * hour + 1, 999)).toBe(duration)
  expect(spanned(1001 * hour - 1, 999)).toBe(duration)
  // a night, a weekend, and more than the longest gap that counts
  expect(spanned(1010 * hour, 999)).toBe(duration)
  expect(spanned(1060 * hour, 999)).toBe(duration)
  expect(spanned(1300 * hour, 999)).toBe(420 * hour)
  expect(spanned(1010 * hour, 999, 289)).toBe(duration - 9 * hour)
})

test('the span does not include earlier evidence of the same versions from before the window', () => {
  const window = { beganAt: 0, lastAt: 720.5 * hour, duration, before: 0 }
  expect(spannedBy(rangeOf([719, 720]), window)).toBe(1.5 * hour)
})

test('no evidence spans no time', () => {
  expect(spannedBy(rangeOf([]), { beganAt: 0, lastAt: 0, duration, before: undefined })).toBe(0)
})

test('a gap at the start counts if it is no longer than one within may be', () => {
  const spannedFrom = (first: number) =>
    spannedBy(rangeOf(hours(first, 720)), { beganAt: 0, lastAt: 720 * hour, duration, before: 0 })
  // 288 hours without traffic: after the hour of the last exchange, and up to the first
  expect([spannedFrom(289), spannedFrom(290)]).toEqual([duration, 430 * hour])
})

test('a gap within counts up to its limit, from the end of one bucket to the start of the next', () => {
  const spannedOver = (gap: number) => {
    const range = rangeOf([...hours(0, 200), ...hours(200 + gap, 720)])
    return spannedBy(range, { beganAt: 0, lastAt: 720 * hour, duration, before: undefined })
  }
  expect([spannedOver(288), spannedOver(289)]).toEqual([duration, duration - hour])
})

test('nothing is asked of the time before the judged range unless a gap at its start could count', () => {
  const asked = (first: number, beganAt: number) =>
    spanBefore({ ...rangeOf(hours(first, 730)), from: 10 * hour }, { beganAt, lastAt: 730 * hour, duration })
  expect(asked(10, 0)).toBeUndefined()
  expect(asked(12, 10 * hour)).toBeUndefined()
  expect(asked(12, 0)).toEqual({ from: (12 - 288 - 1) * hour, to: 10 * hour })
})
