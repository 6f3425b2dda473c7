import { expect } from 'vitest'
import { answering, type FakeUpstream, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'
import type { Case, ForwarderName } from './case.ts'
import { apply } from './difference.ts'
import { fin, type Part, rawPrimary } from './raw-primary.ts'
import { chunksAside, throughNode } from './through-node.ts'
import { type ClientPart, type Expected, type Sending, type View, view } from './view.ts'

const everyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** A mirror in which only the forwarding itself changes a head. */
export function plainMirror(primary: string, forwarder: ForwarderName, candidate?: string) {
  return mirrorUnderTest({
    primary,
    forwarder,
    headers: { xForwarded: false },
    timeout: '5s',
    drain: '0s',
    routes: candidate ? [{ path: '/p', methods: everyMethod, candidates: [{ validation: 'v', url: candidate }] }] : [],
  })
}

export interface Views {
  notMirrored: View
  answered: View
  hung: View
}

/** Sends the same through three mirrors, each with a primary of its own. */
export async function viewsThrough(
  forwarder: ForwarderName,
  { replies }: Pick<Case, 'replies'>,
  sending: Sending,
  expected: Expected,
): Promise<Views> {
  const through = async (candidate?: FakeUpstream) => {
    const primary = await rawPrimary(replies)
    const mirror = await plainMirror(primary.url, forwarder, candidate?.url)
    const seen = await view(mirror.url, primary, sending, expected)
    return { ...seen, client: seen.client.replace(clockDate, '$1: NOW') }
  }
  const [answeringCandidate, hungCandidate] = await Promise.all([fakeUpstream(answering('{}')), fakeUpstream(hanging)])
  const [notMirrored, answered, hung] = await Promise.all([
    through(),
    through(answeringCandidate),
    through(hungCandidate),
  ])
  return { notMirrored, answered, hung }
}

/** Any date except the one that the cases' primaries send. */
const clockDate = /^(date): (?!Sat, 21 Nov 2026 08:00:00 GMT).*$/gim

export async function runCase(forwarder: ForwarderName, given: Case): Promise<void> {
  const direct = await withoutMirror(given)
  const right = apply(direct, given.differences ?? [])
  const isWire = forwarder === 'wire'
  const expected = isWire ? right : apply(throughNode(right), given.throughHttpProxy3 ?? [])
  const counts = { clientBytes: expected.client.length, requestCount: expected.requests.length, end: expected.end }
  const { notMirrored, answered, hung } = await viewsThrough(forwarder, given, { parts: given.sends }, counts)
  expect(isWire ? notMirrored : chunksAside(notMirrored)).toEqual(expected)
  expect(answered).toEqual(notMirrored)
  expect(hung).toEqual(notMirrored)
}

/** The view without a mirror, in which each end must see exactly what the other writes. */
async function withoutMirror({ sends, replies }: Case): Promise<View> {
  const written = bytesOf(replies.flatMap(({ parts }) => parts))
  const primary = await rawPrimary(replies)
  const isClosing = sends.includes('half-close') || replies.some(({ parts }) => parts.includes(fin))
  const counts = { clientBytes: written.length, requestCount: replies.length, end: isClosing ? 'FIN' : 'kept' } as const
  const seen = await view(primary.url, primary, { parts: sends }, counts)
  expect(seen.requests.join('') + seen.unfinished).toBe(bytesOf(sends))
  expect(seen.client).toBe(written)
  return seen
}

const bytesOf = (parts: readonly (ClientPart | Part)[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== 'half-close').join('')
