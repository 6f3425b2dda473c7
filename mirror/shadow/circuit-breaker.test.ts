import { expect, test } from 'vitest'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { CircuitBreaker } from './circuit-breaker.ts'

function breakerOf(failures: number, cooldownMs = 1000) {
  const time = { ms: 0 }
  const opened: number[] = []
  const turns: boolean[] = []
  const clock = { now: () => time.ms, monotonic: () => time.ms }
  const options = { failures, cooldownMs, turned: () => turns.push(!breaker.isClosed) }
  const breaker: CircuitBreaker = new CircuitBreaker(options, clock, () => opened.push(time.ms))
  const pass = (...kinds: LegOutcome['kind'][]) => {
    for (const kind of kinds) breaker.leave(breaker.enter()!, kind)
  }
  return { breaker, time, opened, turns, pass }
}

test('opens after `failures` in a row of any kind, and an answer resets the count', () => {
  const { breaker, time, opened, pass } = breakerOf(3)
  pass('refused', 'reset', 'answered', 'timedOut', 'refused')
  expect(breaker.isClosed).toBe(true)
  pass('reset')
  expect([breaker.isClosed, breaker.enter(), opened]).toEqual([false, undefined, [0]])
  time.ms = 1000
  pass('answered', 'reset', 'reset')
  expect(breaker.isClosed).toBe(true)
})

test('counts requests that are in flight together in the order in which they end', () => {
  const { breaker } = breakerOf(2)
  const permits = [1, 2, 3, 4].map(() => breaker.enter()!)
  for (const [i, kind] of (['refused', 'answered', 'refused', 'reset'] as const).entries()) {
    expect(breaker.isClosed).toBe(true)
    breaker.leave(permits[i]!, kind)
  }
  expect(breaker.isClosed).toBe(false)
})

test('a response that is too large is a failure like any other; what we shed counts as nothing', () => {
  const { breaker, pass } = breakerOf(3)
  pass('refused', 'tooLarge', 'shed')
  expect(breaker.isClosed).toBe(true)
  pass('tooLarge')
  expect(breaker.isClosed).toBe(false)
})

test('a breaker that continues another is open as long as that one would have been, then sends its own probe', () => {
  const { breaker, time, pass } = breakerOf(1)
  const clock = { now: () => time.ms, monotonic: () => time.ms }
  const next = () => {
    const other = new CircuitBreaker({ failures: 5, cooldownMs: 1000 }, clock, () => {})
    other.continue(breaker)
    return other
  }
  expect(next().isClosed).toBe(true)
  pass('refused')
  time.ms = 500
  const opened = next()
  expect([opened.mode, opened.enter()]).toEqual(['open', undefined])
  time.ms = 1000
  breaker.enter() // its probe is its own
  const probing = next()
  probing.leave(probing.enter()!, 'answered')
  expect(probing.isClosed).toBe(true)
})

test('a breaker that continues another is open no longer than its own cooldown, and not at all if it never opens', () => {
  const { breaker, time, pass } = breakerOf(1)
  const clock = { now: () => time.ms, monotonic: () => time.ms }
  pass('refused')
  const next = (failures: number, cooldownMs: number) => {
    const other = new CircuitBreaker({ failures, cooldownMs }, clock, () => {})
    other.continue(breaker)
    return other
  }
  expect(next(0, 1000).isClosed).toBe(true)
  const [quicker, slower] = [next(1, 10), next(1, 10_000)]
  time.ms = 10
  expect(quicker.enter()).toBeDefined()
  time.ms = 1000
  expect(slower.enter()).toBeDefined()
})

test('after the cooldown one probe at a time passes; its answer closes', () => {
  const { breaker, time, pass } = breakerOf(1)
  pass('refused')
  time.ms = 999
  expect([breaker.mode, breaker.enter()]).toEqual(['open', undefined])
  time.ms = 1000
  expect(breaker.mode).toBe('halfOpen')
  const probe = breaker.enter()!
  expect([probe, breaker.enter(), breaker.isClosed]).toEqual([expect.any(Number), undefined, false])
  breaker.leave(probe, 'answered')
  expect([breaker.isClosed, breaker.enter(), breaker.enter()]).toEqual([true, expect.any(Number), expect.any(Number)])
})

test('a failed probe opens it for another cooldown, whatever `failures` is', () => {
  const { breaker, time, opened, pass } = breakerOf(5)
  pass('reset', 'reset', 'reset', 'reset', 'reset')
  for (const ms of [1000, 2000, 3000]) {
    time.ms = ms
    pass('timedOut')
    expect(breaker.enter()).toBe(undefined)
  }
  expect(opened).toEqual([0, 1000, 2000, 3000])
})

test('a probe that we shed makes way for the next one', () => {
  const { breaker, time, pass } = breakerOf(1)
  pass('refused')
  time.ms = 1000
  pass('shed')
  expect(breaker.isClosed).toBe(false)
  pass('answered')
  expect(breaker.isClosed).toBe(true)
})

test('requests sent before it opened neither close it nor reopen it once it has closed', () => {
  const { breaker, time, pass } = breakerOf(2)
  const late = [breaker.enter()!, breaker.enter()!, breaker.enter()!]
  pass('refused', 'refused')
  breaker.leave(late[0]!, 'answered')
  expect(breaker.isClosed).toBe(false)
  time.ms = 1000
  pass('answered')
  breaker.leave(late[1]!, 'timedOut')
  breaker.leave(late[2]!, 'timedOut')
  expect(breaker.isClosed).toBe(true)
})

test('with 0 it never opens', () => {
  const { breaker, pass } = breakerOf(0)
  pass(...Array<'refused'>(10_000).fill('refused'))
  expect(breaker.isClosed).toBe(true)
})

test('reports that it opened, and that it closed again, once each', () => {
  const { time, turns, pass } = breakerOf(2)
  pass('refused', 'refused')
  for (const kind of ['timedOut', 'reset'] as const) {
    time.ms += 1000
    pass(kind)
  }
  expect(turns).toEqual([true])
  time.ms += 1000
  pass('answered', 'answered', 'refused')
  expect(turns).toEqual([true, false])
})
