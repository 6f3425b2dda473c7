import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { isSampled } from '../sampling.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, type FakeUpstream, fakeUpstream } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, send } from '../testing/mirror-under-test.ts'

const share = 0.3
const bodyMax = 1024
const ids = Array.from({ length: 60 }, (_, i) => `order-${i}`)
const inSample = (id: string) => isSampled(id, share)

async function setUp(correlation: { header: string } | { pointer: string }) {
  const primary = await fakeUpstream(answering('{}'))
  const replica = async () => {
    const candidate = await fakeUpstream(answering('{}'))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      capture: { bodyMax: `${bodyMax}B` },
      routes: [{ path: '/p', correlation, candidates: [{ validation: 'v', url: candidate.url, share }] }],
    })
    const observed = () => [...comparator.observations.values()].map(({ correlationId }) => correlationId!).sort()
    return { mirror, observed, candidate }
  }
  return { primary, replica }
}

/** A client that leaves in the middle of its body, once the primary has its head. */
async function leaveEarly(mirrorUrl: string, id: string, primary: FakeUpstream): Promise<void> {
  const before = primary.heads.length
  const socket = connect(Number(new URL(mirrorUrl).port), '127.0.0.1')
  socket.write(`POST /p HTTP/1.1\r\nhost: a\r\nx-order: ${id}\r\ncontent-length: 9\r\n\r\nhalf`)
  await waitFor('its head at the primary', () => primary.heads.length > before)
  socket.destroy()
  await once(socket, 'close')
}

test.each([
  { correlation: { header: 'x-order' }, body: () => '{}' },
  { correlation: { pointer: '/order' }, body: (order: string) => JSON.stringify({ order }) },
  {
    correlation: { pointer: '/order' },
    body: (order: string) => gzipSync(JSON.stringify({ order })),
    headers: { 'content-encoding': 'gzip' },
  },
])(
  'two mirrors sample the same exchanges by $correlation, in whatever order they come',
  async ({ correlation, body, headers }) => {
    const { replica } = await setUp(correlation)
    const [one, other] = [await replica(), await replica()]
    for (const [{ mirror }, orders] of [[one, ids] as const, [other, ids.toReversed()] as const]) {
      for (const id of orders) await send(`${mirror.url}/p`, { body: body(id), headers: { 'x-order': id, ...headers } })
      await mirror.settled('v', ids.length)
    }
    expect(one.observed()).toEqual(ids.filter(inSample).sort())
    expect(other.observed()).toEqual(one.observed())
  },
)

test('the share is of the exchanges that can be mirrored: others neither use it up nor count against it', async () => {
  const { primary, replica } = await setUp({ header: 'x-order' })
  const { mirror, observed, candidate } = await replica()
  const kindOf = (i: number) => (['whole', 'tooLarge', 'aborted'] as const)[i % 3]!
  for (const [i, id] of ids.entries()) {
    const headers = { 'x-order': id }
    if (kindOf(i) === 'whole') await send(`${mirror.url}/p`, { body: '{}', headers })
    else if (kindOf(i) === 'tooLarge') await send(`${mirror.url}/p`, { body: 'x'.repeat(bodyMax + 1), headers })
    else await leaveEarly(mirror.url, id, primary)
  }
  const account = await mirror.settled('v', ids.length)
  const sampled = (kind: string) => ids.filter((id, i) => kindOf(i) === kind && inSample(id))
  expect(observed()).toEqual(sampled('whole').sort())
  expect(candidate.heads.length).toBe(sampled('whole').length)
  // coverage leaves out what was not sampled, so the reasons must be those of sampled exchanges alone
  expect(account).toEqual({
    seen: ids.length,
    delivered: sampled('whole').length,
    pending: 0,
    skipped: {
      tooLarge: sampled('tooLarge').length,
      aborted: sampled('aborted').length,
      notSampled: ids.filter((id) => !inSample(id)).length,
    },
  })
  for (const kind of ['whole', 'tooLarge', 'aborted']) expect(sampled(kind).length).toBeGreaterThan(2)
})
