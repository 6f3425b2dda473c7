import { expect, test } from 'vitest'
import { timePlotWidth, utcAxis } from './utc-axis.ts'

const hour = 3_600_000
const day = 24 * hour
const from = Date.UTC(2026, 10, 18, 7, 40)
const ticksOver = (spanMs: number, width: number) => {
  const { ticks, tickFormat } = utcAxis([new Date(from), new Date(from + spanMs)], width)
  return (ticks as Date[]).map(tickFormat as (at: Date) => string)
}

test('ticks are round times inside the axis', () => {
  expect(ticksOver(12 * hour, 400)).toEqual(['09:00', '12:00', '15:00', '18:00'])
  expect(ticksOver(2 * day, 400)).toEqual(['11-19 00:00', '11-20 00:00'])
})

test('labels do not touch, however narrow the axis is', () => {
  for (const spanMs of [20_000, 3 * 60_000, hour, 12 * hour, 2 * day, 4 * day, 9 * day, 60 * day, 400 * day]) {
    for (const width of [230, 300, 390, 640, 1100, 2500]) {
      const ticks = ticksOver(spanMs, width)
      const roomPx = ticks[0]!.length * 6.5 + 10
      expect(ticks.length, `${spanMs} ms in ${width} px`).toBeLessThanOrEqual(1 + timePlotWidth(width) / roomPx)
      expect(ticks.length, `${spanMs} ms in ${width} px`).toBeGreaterThanOrEqual(1)
    }
  }
})

test('no two ticks have the same label', () => {
  for (const spanMs of [90_000, 40 * 60_000, 20 * hour, 30 * hour, 3 * day, 7 * day, 30 * day]) {
    const ticks = ticksOver(spanMs, 3000)
    expect(new Set(ticks).size).toBe(ticks.length)
  }
  expect(ticksOver(7 * day, 3000).length).toBe(7)
})

test('a week in a small chart has more than one day to read the others by', () => {
  expect(ticksOver(7 * day, 340)).toEqual(['11-19', '11-21', '11-23', '11-25'])
  expect(ticksOver(7 * day, 230)).toEqual(['11-21', '11-24'])
})
