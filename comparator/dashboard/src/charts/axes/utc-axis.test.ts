import { expect, test } from 'vitest'
import { utcAxis } from './utc-axis.ts'

const day = 86_400_000
const ticksOver = (days: number, width: number) => utcAxis([new Date(0), new Date(days * day)], width).ticks as number

test('an axis of a week has no more ticks than days, however wide it is', () => {
  expect(ticksOver(7, 3000)).toBe(7)
  expect(ticksOver(30, 1000)).toBe(9)
})

test('if ticks are hours, there are as many as fit', () => {
  expect(ticksOver(2, 1050)).toBe(10)
  expect(ticksOver(2, 100)).toBe(2)
})
