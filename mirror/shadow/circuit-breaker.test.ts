import { expect, test } from 'vitest'
import type { LegOutcome } from '../exchange/leg-outcome.ts'
import { CircuitBreaker } from './circuit-breaker.ts'

function breakerOf(failures: number, cooldownMs = 1000) {
  const time = { ms: 0 }
  const opened: number[] = []
  const clock = { now: () => time.ms, monotonic: () => time.ms }
  const breaker = new CircuitBreaker({ failures, cooldownMs }, clock, () => opened.push(time.ms))
  const pass = (...kinds: LegOutcome['kind'][]) => {
    for (const kind of kinds) breaker.leave(breaker.enter()!, kind)
  }
  return { breaker, time, opened, pass }
}

test('opens after so many failures in a row, whatever their kind, and an answer starts the row anew', () => {
  const { breaker, opened, pass } = breakerOf(3)
  pass('refused', 'reset', 'answered', 'timedOut', 'refused')
  expect(breaker.isClosed).toBe(true)
  pass('reset')
  expect([breaker.isClosed, breaker.enter(), opened]).toEqual([false, undefined, [0]])
})

test('a response that was too large shows that the upstream lives, what we shed shows nothing', () => {
  const { breaker, pass } = breakerOf(2)
  pass('refused', 'tooLarge', 'refused', 'shed')
  expect(breaker.isClosed).toBe(true)
  pass('refused')
  expect(breaker.isClosed).toBe(false)
})

test('after the cooldown one probe at a time passes; its answer closes', () => {
  const { breaker, time, pass } = breakerOf(1)
  pass('refused')
  time.ms = 999
  expect(breaker.enter()).toBe(undefined)
  time.ms = 1000
  const probe = breaker.enter()!
  expect([probe, breaker.enter(), breaker.isClosed]).toEqual([expect.any(Number), undefined, false])
  breaker.leave(probe, 'answered')
  expect([breaker.isClosed, breaker.enter(), breaker.enter()]).toEqual([true, expect.any(Number), expect.any(Number)])
})

test('a probe that fails opens again, for one cooldown more, however many it takes to open', () => {
  const { breaker, time, opened, pass } = breakerOf(5)
  pass('reset', 'reset', 'reset', 'reset', 'reset')
  for (const ms of [1000, 2000, 3000]) {
    time.ms = ms
    pass('timedOut')
    expect(breaker.enter()).toBe(undefined)
  }
  expect(opened).toEqual([0, 1000, 2000, 3000])
})

test('a probe that we shed makes room for the next one', () => {
  const { breaker, time, pass } = breakerOf(1)
  pass('refused')
  time.ms = 1000
  pass('shed')
  expect(breaker.isClosed).toBe(false)
  pass('answered')
  expect(breaker.isClosed).toBe(true)
})

test('what was sent before it opened neither closes it, nor opens it once it has closed again', () => {
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
