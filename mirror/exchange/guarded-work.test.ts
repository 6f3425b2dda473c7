import { expect, test } from 'vitest'
import { GuardedWork } from './guarded-work.ts'

function workUnderTest() {
  const told: unknown[] = []
  const work = new GuardedWork(
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
    work.run(
      'building an observation',
      () => given,
      next,
      () => told.push('failed'),
    )
  return { work, told, take }
}

test('a value goes on to the next step within the same call, a promise once it resolves', async () => {
  const { work, told, take } = workUnderTest()
  take('at once')
  expect([told, work.isUnderWay]).toEqual([['at once'], false])
  const later = Promise.withResolvers<string>()
  take(later.promise)
  expect(work.isUnderWay).toBe(true)
  later.resolve('later')
  await expect.poll(() => told).toEqual(['at once', 'later', 'ended'])
  expect(work.isUnderWay).toBe(false)
})

test('whichever part throws or rejects, the step fails once and is no longer under way', async () => {
  const fails = () => {
    throw 'next'
  }
  const { work, told, take } = workUnderTest()
  take('at once', fails)
  expect(told.splice(0)).toEqual(['next', 'failed'])
  take(Promise.resolve(), fails)
  await expect.poll(() => told).toEqual(['next', 'failed', 'ended'])
  told.length = 0
  take(Promise.reject('begin'))
  await expect.poll(() => told).toEqual(['begin', 'failed', 'ended'])
  expect(work.isUnderWay).toBe(false)
})
