import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { localhostPem } from '../testing/tls/files.ts'
import { ComparatorClient } from './comparator-client.ts'

/** The time limits that are set for a request to a comparator that never answers. */
async function limitsOf(ask: (client: ComparatorClient, signal: AbortSignal) => Promise<unknown>) {
  const { url, heads } = await fakeUpstream(hanging)
  const client = new ComparatorClient(url, 't')
  onTestFinished(() => client.close())
  const given = vi.spyOn(globalThis, 'setTimeout')
  const abort = new AbortController()
  const asked = ask(client, abort.signal)
  const limits = given.mock.calls.map(([, ms]) => ms)
  given.mockRestore()
  await waitFor('it to be under way', () => heads.length === 1)
  abort.abort()
  expect(await asked).toMatchObject({ kind: 'away' })
  return limits
}

test.each([
  ['15 s', 1000, 15_000],
  ['longer, as slow ways need it,', 1024 * 1024, 65_536],
])('a delivery has %s for %i bytes', async (_, bytes, limitMs) => {
  expect(await limitsOf((client, signal) => client.deliver([Buffer.alloc(bytes)], signal))).toContain(limitMs)
})

test('a question for the routing has 15 s beyond the time that the comparator may wait with its answer', async () => {
  expect(await limitsOf((client, signal) => client.routing('"1"', 25_000, signal))).toContain(40_000)
})

const rejected = (...indices: number[]) => indices.map((index) => ({ index, code: 'TOO_OLD', message: 'too old' }))

test.each([
  ['received', { accepted: 1, duplicates: 1, rejected: rejected(1) }],
  ['received', { accepted: 0, duplicates: 0, rejected: rejected(2, 0, 1) }],
  ['away', { accepted: 0, duplicates: 0, rejected: [] }],
  ['away', { accepted: 4, duplicates: 0, rejected: [] }],
  ['away', { accepted: 2, duplicates: 0, rejected: rejected(3) }],
  ['away', { accepted: 1, duplicates: 0, rejected: rejected(1, 1) }],
])('three observations are %s by the receipt %j', async (kind, receipt) => {
  const { url } = await fakeUpstream(answering(JSON.stringify(receipt), {}, 202))
  const client = new ComparatorClient(url, 't')
  onTestFinished(() => client.close())
  expect(await client.deliver(Array.from({ length: 3 }, () => Buffer.from('{}')))).toMatchObject({ kind })
})

test('of a comparator whose certificate is not trusted the reason names what helps, which is no setting of the mirror', async () => {
  const server = createServer(localhostPem)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = new ComparatorClient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, 't')
  onTestFinished(() => {
    client.close()
    server.close()
  })
  expect(await client.deliver([Buffer.from('{}')])).toEqual({
    kind: 'away',
    reason: 'unable to verify the first certificate; name the PEM file of its authority in NODE_EXTRA_CA_CERTS',
  })
})
