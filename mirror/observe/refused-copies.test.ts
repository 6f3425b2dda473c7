import { expect, test } from 'vitest'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { send } from '../testing/mirror-under-test.ts'
import { refusedCopiesLog } from './refused-copies.ts'

const message = expect.stringContaining('shadow.allowHeaders')

test('refused copies are logged once a minute per validation', () => {
  let now = 0
  const { logger, lines } = loggerUnderTest()
  const refused = refusedCopiesLog({ now: () => now, monotonic: () => now }, logger)
  for (const validation of ['a', 'a', 'b']) refused(validation, 401)
  now += 60_000
  refused('a', 403)
  expect(lines.map(({ validation, status }) => [validation, status])).toEqual([
    ['a', 401],
    ['b', 401],
    ['a', 403],
  ])
})

test('a candidate that lacks credentials is logged, one that refuses what the primary refuses is not', async () => {
  const primary = await fakeUpstream((request, response) =>
    answering('{}', {}, request.url === '/p/open' ? 200 : 401)(request, response),
  )
  const candidate = await fakeUpstream(answering('{}', {}, 401))
  const { mirror, lines } = await loggedMirror({
    primary: primary.url,
    comparator: { url: (await fakeComparator()).url, token: 't' },
    routes: [{ path: '/p', candidates: [{ validation: 'v', url: candidate.url }] }],
  })
  await send(`${mirror.url}/p/shut`, { body: '{}' })
  await mirror.settled('v', 1)
  expect(lines.filter(({ status }) => status === 401)).toEqual([])
  await send(`${mirror.url}/p/open`, { body: '{}' })
  await mirror.settled('v', 2)
  expect(lines.filter(({ status }) => status === 401)).toMatchObject([{ validation: 'v', msg: message }])
})
