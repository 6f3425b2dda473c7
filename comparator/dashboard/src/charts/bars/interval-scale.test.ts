import { describe, expect, test } from 'vitest'
import { intervalScale } from './interval-scale.ts'

const share: [number, number] = [0, 1]

describe('an interval bar', () => {
  test('keeps estimate, bound and limit in their order', () => {
    const scale = intervalScale({ estimate: 0.874, lower: 0.851, upper: 0.896, limit: { min: 0.99 } }, share)
    const { bound, estimate, limits } = scale
    expect(bound!.from).toBeLessThan(estimate!)
    expect(estimate!).toBeLessThan(bound!.to)
    expect(bound!.to).toBeLessThan(limits[0]!)
  })

  test('shades the side that the limit allows', () => {
    const atLeast = intervalScale({ estimate: 0.9, lower: 0.8, upper: 1, limit: { min: 0.85 } }, share)
    expect(atLeast.allowed).toEqual({ from: atLeast.limits[0], to: 100 })
    const atMost = intervalScale({ estimate: 5, lower: 4, upper: 6, limit: { max: 10 } }, [0, Infinity])
    expect(atMost.allowed).toEqual({ from: 0, to: atMost.limits[0] })
    const between = intervalScale({ estimate: 0, lower: -1, upper: 1, limit: { min: -2, max: 2 } }, [
      -Infinity,
      Infinity,
    ])
    expect(between.allowed.from).toBe(between.limits[0])
    expect(between.allowed.to).toBe(between.limits[1])
    expect(between.zero).toBeCloseTo(50)
  })

  test('never leaves the metric’s domain', () => {
    const scale = intervalScale({ estimate: 0.995, lower: 0.98, upper: 1.02, limit: { min: 0.99 } }, share)
    expect(scale.bound!.to).toBe(100)
    const latency = intervalScale({ estimate: 2, lower: -3, upper: 6, limit: { max: 5 } }, [0, Infinity])
    expect(latency.bound!.from).toBe(0)
  })

  test('extends to the end on a side without a bound', () => {
    const { bound } = intervalScale({ estimate: 0, lower: null, upper: 0.003, limit: { max: 0.005 } }, [-1, 1])
    expect(bound).toMatchObject({ from: 0, openLow: true, openHigh: false })
  })

  test('draws nothing without evidence, but has finite positions', () => {
    const none = intervalScale({ estimate: null, lower: null, upper: null, limit: {} }, share)
    expect(none).toEqual({ estimate: null, bound: null, allowed: { from: 0, to: 100 }, limits: [], zero: null })
    const point = intervalScale({ estimate: 0, lower: 0, upper: 0, limit: { max: 0 } }, [-1, 1])
    expect([point.estimate, point.limits[0]].every(Number.isFinite)).toBe(true)
    expect(point.bound).toBeNull()
  })
})
