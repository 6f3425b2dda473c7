import { describe, expect } from 'vitest'
import { type ForwarderName, forwarders, head, host } from './case.ts'
import { type OddResponse, oddResponses, type Sees } from './cases/odd-responses.ts'
import { viewsThrough } from './run-case.ts'
import { table } from './table.ts'
import { chunksAside, throughNode } from './through-node.ts'

describe.each(forwarders)('through %s', (forwarder) => {
  describe('the client gets a 502 if the primary sends', () => table(forwarder, oddResponses.noResponses, isSeen))
  describe('the client sees a broken response if the primary sends', () =>
    table(forwarder, oddResponses.brokenBodies, isSeen))
  describe('nothing beyond the response reaches this client or the next if the primary sends', () =>
    table(forwarder, oddResponses.tooMuch, isSeen))
  describe('the client gets valid HTTP if the primary sends', () => table(forwarder, oddResponses.lenient, isSeen))
})

async function isSeen(forwarder: ForwarderName, { sends, reply, sees, throughHttpProxy3 }: OddResponse): Promise<void> {
  const isWire = forwarder === 'wire'
  const expected: Sees = (!isWire && throughHttpProxy3?.sees) || sees
  const request = sends ?? `${head('POST /p HTTP/1.1', host, 'content-length: 2')}{}`
  const counts = {
    clientBytes: expected === 502 ? 1 : expected.client.length,
    requestCount: 1,
    end: expected === 502 ? 'kept' : expected.end,
  } as const
  const views = await viewsThrough(forwarder, { replies: [reply] }, { parts: [request] }, counts)
  const { notMirrored, answered, hung } = views
  if (expected === 502) {
    expect(notMirrored.client).toMatch(/^HTTP\/1\.1 502 [\s\S]*"code":"UPSTREAM_UNREACHABLE"/)
    expect(notMirrored.end).toBe('kept')
  } else {
    const through = isWire ? { ...notMirrored, ...expected } : throughNode({ ...notMirrored, ...expected })
    expect(isWire ? notMirrored : chunksAside(notMirrored)).toMatchObject({ client: through.client, end: through.end })
  }
  expect(notMirrored.requests).toHaveLength(1)
  expect(answered).toEqual(notMirrored)
  expect(hung).toEqual(notMirrored)
}
