import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging } from './testing/fake-upstream.ts'
import { spawnMirror } from './testing/mirror-process.ts'
import { comparing, send } from './testing/mirror-under-test.ts'

test('copies that hang leave file descriptors to clients, and those beyond are shed', async () => {
  const [primary, candidate] = [await fakeUpstream(answering('{}')), await fakeUpstream(hanging)]
  const limits = { url: candidate.url, concurrency: 1000, deadline: '10m' }
  const { mirror } = await spawnMirror(comparing(primary, await fakeComparator(), limits), 120)
  for (let i = 0; i < 200; i++) expect((await send(`${mirror.url}/p`, { body: '{}' })).status, `${i}`).toBe(200)
  const { pending, skipped } = await waitFor(
    'all exchanges to be seen',
    async () => (await mirror.ledger()).v!,
    ({ seen }) => seen === 200,
  )
  expect(skipped.shed).toBeGreaterThan(50)
  expect(pending).toBe(200 - skipped.shed!)
  expect(pending).toBeGreaterThan(30)
})
