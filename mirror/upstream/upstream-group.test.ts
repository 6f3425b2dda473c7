import { expect, onTestFinished, test } from 'vitest'
import { createUpstream } from './upstream.ts'
import { UpstreamGroup } from './upstream-group.ts'

const restMs = 1000

function twoUpstreams() {
  let nowMs = 0
  const clock = { now: () => nowMs, monotonic: () => nowMs }
  const [one, other] = [createUpstream('http://127.0.0.1:1', 1000), createUpstream('http://127.0.0.1:2', 1000)]
  onTestFinished(() => {
    one.close()
    other.close()
  })
  const make = (before?: UpstreamGroup) => new UpstreamGroup([one, other], restMs, clock, before)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { group: make(), make, one, other, pass }
}

test('after its rest one request tries an upstream, and the others follow after the time of another', () => {
  const { group, one, other, pass } = twoUpstreams()
  const triesOfOne = () => [1, 2, 3, 4].filter(() => group.next() === one).length
  expect(triesOfOne()).toBe(2)
  group.rest(one)
  expect(triesOfOne()).toBe(0)
  pass(restMs)
  expect(triesOfOne()).toBe(1)
  pass(restMs - 1)
  expect(triesOfOne()).toBe(0)
  pass(1)
  expect(triesOfOne()).toBe(2)
  // each failed try begins another rest
  group.rest(one)
  pass(restMs)
  expect(triesOfOne()).toBe(1)
  group.rest(one)
  expect(triesOfOne()).toBe(0)
  // it is still better than none
  expect(group.next([other])).toBe(one)
})

test('a reload keeps what is known of a rest', () => {
  const { group, make, one, pass } = twoUpstreams()
  group.rest(one)
  pass(restMs)
  const next = make(group)
  expect([1, 2, 3, 4].filter(() => next.next() === one).length).toBe(1)
})
