import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { chooseLive } from './routing/live-choice.ts'
import { isSampled, liveBucket } from './sampling.ts'

const sequential = Array.from({ length: 20_000 }, (_, i) => `order-${i}`)
const random = Array.from({ length: 20_000 }, () => randomUUIDv7())

test('a share of ids is sampled, sequential or not, and a smaller share lies within a larger one', () => {
  for (const ids of [sequential, random]) {
    for (const share of [0.01, 0.1, 0.5, 0.9]) {
      const sampled = ids.filter((id) => isSampled(id, share)).length / ids.length
      // five standard deviations
      expect(Math.abs(sampled - share)).toBeLessThan(5 * Math.sqrt((share * (1 - share)) / ids.length))
    }
    expect(ids.every((id) => !isSampled(id, 0.1) || isSampled(id, 0.2))).toBe(true)
    expect(ids.some((id) => isSampled(id, 0))).toBe(false)
    expect(ids.every((id) => isSampled(id, 1))).toBe(true)
  }
})

test('the sample is the same on every mirror and after every restart', () => {
  expect(sequential.slice(0, 40).filter((id) => isSampled(id, 0.1))).toEqual([
    'order-2',
    'order-3',
    'order-14',
    'order-24',
  ])
})

test('which ids are live does not depend on which are sampled', () => {
  const inSample = random.filter((id) => isSampled(id, 0.5))
  const live = inSample.filter((id) => liveBucket(id) < 50).length / inSample.length
  expect(Math.abs(live - 0.5)).toBeLessThan(0.03)
})

test('candidates take consecutive slices, and the primary takes the rest', () => {
  const candidates = [{ validation: 'a' }, { validation: 'b' }, { validation: 'c' }]
  const state = (livePercent: number) => ({ state: 'rollingOut' as const, livePercent, reverseShadow: true })
  const routing = { a: state(10), b: state(0), c: state(30) }
  const counts: Record<string, number> = {}
  for (const id of random) {
    const live = chooseLive(candidates, routing, id)?.validation ?? 'primary'
    counts[live] = (counts[live] ?? 0) + 1
  }
  expect(counts.a! / random.length).toBeCloseTo(0.1, 1)
  expect(counts.b).toBeUndefined()
  expect(counts.c! / random.length).toBeCloseTo(0.3, 1)
  expect(random.every((id) => chooseLive(candidates, { a: state(100), c: state(100) }, id)?.validation === 'a')).toBe(
    true,
  )
  expect(random.every((id) => chooseLive(candidates, {}, id) === undefined)).toBe(true)
})

test('a noise floor has no slice, whatever the routing says', () => {
  const candidates = [{ validation: 'noise', isNoiseFloor: true }, { validation: 'a' }]
  const state = { state: 'rollingOut' as const, livePercent: 100, reverseShadow: true }
  expect(chooseLive(candidates, { noise: state }, 'id')).toBe(undefined)
  expect(chooseLive(candidates, { noise: state, a: state }, 'id')?.validation).toBe('a')
})
