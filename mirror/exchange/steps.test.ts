import { expect, test } from 'vitest'
import { Steps } from './steps.ts'

function stepsUnderTest() {
  const told: unknown[] = []
  const steps = new Steps(
    (_what, step) => {
      try {
        step()
        return true
      } catch (error) {
        told.push(error)
        return false
      }
    },
    () => told.push('ended'),
  )
  const take = (given: unknown, next = (value: unknown): void => void told.push(value)) =>
    steps.take(
      'building an observation',
      () => given,
      next,
      () => told.push('failed'),
    )
  return { steps, told, take }
}

test('a value goes on to the next step within the same call, a promise once it resolves', async () => {
  const { steps, told, take } = stepsUnderTest()
  take('at once')
  expect([told, steps.areUnderWay]).toEqual([['at once'], false])
  const later = Promise.withResolvers<string>()
  take(later.promise)
  expect(steps.areUnderWay).toBe(true)
  later.resolve('later')
  await expect.poll(() => told).toEqual(['at once', 'later', 'ended'])
  expect(steps.areUnderWay).toBe(false)
})

test('whichever part throws or rejects, the step fails once and is no longer under way', async () => {
  const fails = () => {
    throw 'next'
  }
  const { steps, told, take } = stepsUnderTest()
  take('at once', fails)
  expect(told.splice(0)).toEqual(['next', 'failed'])
  take(Promise.resolve(), fails)
  await expect.poll(() => told).toEqual(['next', 'failed', 'ended'])
  told.length = 0
  take(Promise.reject('begin'))
  await expect.poll(() => told).toEqual(['begin', 'failed', 'ended'])
  expect(steps.areUnderWay).toBe(false)
})
