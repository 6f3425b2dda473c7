import { describe, expect, test } from 'vitest'
import { axisTicks } from './axis-ticks.ts'
import { logTicks } from './log-ticks.ts'

const ticks = (domain: [number, number], width: number) => logTicks(domain, width, axisTicks('ms', domain))

describe('the ticks of a logarithmic axis', () => {
  test('are as many as have room, and the same in every decade', () => {
    expect(ticks([8, 240], 388)).toEqual([10, 20, 50, 100, 200])
    expect(ticks([8, 240], 200)).toEqual([10, 30, 100])
    expect(ticks([3_800, 14_000], 388)).toEqual([4_000, 5_000, 6_000, 7_000, 10_000])
    expect(ticks([0.03, 500], 388)).toEqual([0.1, 1, 10, 100])
  })
  test('are at every second or fourth power of ten where that is all there is room for', () => {
    expect(ticks([0.001, 100_000], 300)).toEqual([0.01, 1, 100, 10_000])
    expect(ticks([0.001, 100_000], 150)).toEqual([1, 10_000])
  })
  test('have no two labels that touch, at any width', () => {
    for (let width = 200; width <= 1200; width += 50) {
      for (const to of [20, 90, 400, 3_000, 60_000]) {
        const format = axisTicks('ms', [7, to])
        const places = ticks([7, to], width).map((tick) => ({
          at: (width * Math.log(tick / 7)) / Math.log(to / 7),
          half: (format(tick).length * 6.5) / 2,
        }))
        for (const [i, { at, half }] of places.entries()) {
          const before = places[i - 1]
          if (before) expect(at - half - before.at - before.half, `${to} in ${width} px`).toBeGreaterThan(0)
        }
      }
    }
  })
})
