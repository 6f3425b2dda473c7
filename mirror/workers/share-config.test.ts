import { expect, test } from 'vitest'
import { mirrorConfig } from '../testing/mirror-under-test.ts'
import { shareConfig } from './share-config.ts'

const config = mirrorConfig({
  workers: 3,
  primary: 'http://127.0.0.1:9',
  capture: { bodyMax: '1B', memoryMax: '100B' },
  spool: { dir: '/spool', sizeMax: '1000B' },
  routes: [
    {
      path: '/p',
      candidates: [{ validation: 'v', url: 'http://127.0.0.1:9', concurrency: 5, queue: 2 }],
      noiseFloor: { validation: 'noise', share: 0.5, concurrency: 3, queue: 10 },
    },
  ],
})
const shares = [0, 1, 2].map((number) => shareConfig(config, number))

test('the limits of all workers add up to those of the config', () => {
  expect(shares.map(({ capture }) => capture.memoryMax)).toEqual([34, 33, 33])
  expect(shares.map(({ spool }) => spool.sizeMax)).toEqual([334, 333, 333])
  const legs = shares.map(({ routes }) => [...routes[0]!.candidates, routes[0]!.noiseFloor!])
  expect(legs.map((of) => of.map(({ concurrency }) => concurrency))).toEqual([
    [2, 1],
    [2, 1],
    [1, 1],
  ])
  expect(legs.map((of) => of.map(({ queue }) => queue))).toEqual([
    [1, 4],
    [1, 3],
    [0, 3],
  ])
})

test('every worker has its own spool; the first has that of a mirror without workers', () => {
  expect(shares.map(({ spool }) => spool.dir)).toEqual(['/spool', '/spool/worker-1', '/spool/worker-2'])
})

test('settings that are not limits are the same for all', () => {
  expect(shares[2]!.routes[0]!.noiseFloor!.share).toBe(0.5)
  expect(shares[2]!.capture.bodyMax).toBe(config.capture.bodyMax)
})
