import { expect, test } from 'vitest'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { route, send } from '../testing/mirror-under-test.ts'
import { rejectionLog } from './rejections.ts'

test('rejections are logged once per ten seconds and validation, with how many were left out', () => {
  let now = 5000
  const { logger, lines } = loggerUnderTest()
  const logRejection = rejectionLog('an observation', { now: () => now, monotonic: () => now }, logger)
  for (const validation of ['a', 'a', 'b', 'a']) logRejection(validation, 'UNKNOWN_VALIDATION: as the test says')
  now += 10_000
  logRejection('a', 'TOO_OLD: as the test says')
  now += 10_000
  logRejection('a', 'TOO_OLD: as the test says')
  expect(lines.map(({ validation, reason, leftOut }) => [validation, reason, leftOut])).toEqual([
    ['a', 'UNKNOWN_VALIDATION: as the test says', 0],
    ['b', 'UNKNOWN_VALIDATION: as the test says', 0],
    ['a', 'TOO_OLD: as the test says', 2],
    ['a', 'TOO_OLD: as the test says', 0],
  ])
})

test('a validation that the comparator does not know does not fill the log', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  comparator.onBundle = (observations) => ({
    status: 202,
    body: observations.map((_, index) => ({ index, code: 'UNKNOWN_VALIDATION', message: 'no validation v' })),
  })
  const { mirror, logged } = await loggedMirror({
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url }),
  })
  for (let i = 0; i < 20; i++) await send(`${mirror.url}/p`, { body: '{}' })
  expect(await mirror.settled('v', 20)).toMatchObject({ skipped: { rejected: 20 } })
  expect(logged('the comparator rejected an observation').map(({ reason }) => reason)).toEqual([
    'UNKNOWN_VALIDATION: no validation v',
  ])
})
