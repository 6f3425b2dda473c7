import { expect, test } from 'vitest'
import type { MirrorView } from '../../../../vocabulary/mirrors.ts'
import { progressOf } from './progress.ts'

const mirror = (state: MirrorView['state'], validation: string, seen: number) =>
  ({ name: 'm', state, candidates: [{ validation }], ledger: [{ validation, seen }] }) as MirrorView

const stepsOf = ({ validation, mirror, exchange }: ReturnType<typeof progressOf>) => [validation, mirror, exchange]

test('each step waits for the one before it', () => {
  expect(stepsOf(progressOf('v', false, []))).toEqual(['now', 'waits', 'waits'])
  expect(stepsOf(progressOf('v', true, []))).toEqual(['done', 'now', 'waits'])
  expect(stepsOf(progressOf('v', true, [mirror('reporting', 'v', 0)]))).toEqual(['done', 'done', 'now'])
  expect(progressOf('v', true, [mirror('reporting', 'v', 2), mirror('reporting', 'v', 1)])).toMatchObject({
    exchange: 'done',
    seen: 3,
  })
})

test('a mirror of another validation, or one that is gone, does not count', () => {
  expect(progressOf('v', true, [mirror('reporting', 'w', 5), mirror('silent', 'v', 5)]).mirror).toBe('now')
})
