import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { createLogger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import type { ComparatorClient } from '../comparator-client/comparator-client.ts'
import { Disk } from '../disk.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { RoutingFollower } from './follow-routing.ts'

/** Follows a comparator that gives two documents, one at once after the other. */
function following(isDiskOurs: () => boolean) {
  const documents = [1, 2].map((version) => ({ version, updatedAt: '2026-11-21T08:00:00.000Z', validations: {} }))
  const routing: ComparatorClient['routing'] = async (_etag, _waitMs, signal) => {
    const document = documents.shift()
    if (document) return { kind: 'changed', document, etag: undefined }
    await once(signal, 'abort')
    return { kind: 'unchanged' }
  }
  const file = join(tempDir(), 'routing.json')
  const logger = createLogger('mirror', 'silent')
  const follower = new RoutingFollower({
    comparator: { routing } as ComparatorClient,
    disk: new Disk(logger),
    file,
    lastKnown: Object.assign(new Error('no file'), { code: 'ENOENT' }),
    isDiskOurs,
    clock: systemClock,
    logger,
  })
  const stopping = new AbortController()
  const followed = follower.follow(stopping.signal)
  onTestFinished(() => {
    stopping.abort()
    return followed
  })
  const isLast = () => follower.current.document.version === 2
  return { follower, isLast, file, onDisk: () => JSON.parse(readFileSync(file, 'utf8')).version }
}

test('a routing that arrives while an older one is being written is written too', async () => {
  const { follower, isLast, onDisk } = following(() => true)
  await waitFor('the disk', () => isLast() && !follower.isUnstored)
  expect(onDisk()).toBe(2)
})

test('a routing waits until no other process writes to the disk', async () => {
  let isOurs = false
  const { follower, isLast, file, onDisk } = following(() => isOurs)
  await waitFor('the last one', isLast)
  expect([follower.isUnstored, existsSync(file)]).toEqual([true, false])
  isOurs = true
  await waitFor('the disk', () => !follower.isUnstored)
  expect(onDisk()).toBe(2)
})
