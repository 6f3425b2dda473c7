import { describe, expect, test } from 'vitest'
import { observationBytes, type UncodedObservation } from './observation-bytes.ts'

const short = '{"text":"ü \\" \u0001"}'
/** Bodies of each length that base64 pads differently, in one piece and in several that end anywhere. */
const long = [[50_000], [1, 0, 1, 50_001, 64_000, 1, 2], [65_536, 65_536, 65_535]].map((lengths) =>
  lengths.map((bytes) => Buffer.alloc(bytes, 'ab"\u0001ü')),
)

function observation(
  request: string | readonly Buffer[],
  primary: string | readonly Buffer[],
  candidate: string | readonly Buffer[],
): UncodedObservation {
  const encoded = (body: string | readonly Buffer[]) => ({
    body,
    bodyEncoding: typeof body === 'string' ? ('utf8' as const) : ('base64' as const),
  })
  const headers = { 'content-type': 'application/json', body: '', 'x-tricky': '"body":"\\u0001"' }
  const answered = { kind: 'answered' as const, status: 200, headers, ttfbMs: 1, totalMs: 2 }
  return {
    id: '0193b2f0-0000-7000-8000-000000000000',
    validation: 'v',
    at: '2026-11-21T08:00:00.000Z',
    correlationId: '\u0001',
    live: 'primary',
    request: { method: 'POST', path: '/p?a="\\u0001"', headers, ...encoded(request) },
    primary: { ...answered, ...encoded(primary) },
    candidate: { ...answered, ...encoded(candidate) },
  }
}

/** The JSON text for bodies that are bytes. */
const inText = ({ request, primary, candidate, ...rest }: UncodedObservation) => {
  const text = <Message extends { body?: string | readonly Buffer[] | undefined }>(message: Message) =>
    typeof message.body === 'object' ? { ...message, body: Buffer.concat(message.body).toString('base64') } : message
  return { ...rest, request: text(request), primary: text(primary), candidate: text(candidate) }
}

test('bodies that are bytes become base64 in the JSON, on every side', async () => {
  for (const request of [short, long[0]!]) {
    for (const primary of [short, long[1]!]) {
      for (const candidate of [short, long[2]!]) {
        const one = observation(request, primary, candidate)
        expect((await observationBytes(one)).toString()).toBe(JSON.stringify(inText(one)))
      }
    }
  }
  const failed = { ...observation(long[1]!, short, short), candidate: { kind: 'timedOut' as const, totalMs: 3 } }
  expect(JSON.parse((await observationBytes(failed)).toString())).toEqual(inText(failed))
})

describe('a long body is encoded in steps', () => {
  const megabyte = [Buffer.alloc(300_001, 1), Buffer.alloc(700_000, 2)]
  /** How often other work had its turn meanwhile. */
  async function turnsOf(work: Promise<unknown>): Promise<number> {
    let turns = 0
    let ticking = setImmediate(function tick() {
      turns++
      ticking = setImmediate(tick)
    })
    await work
    clearImmediate(ticking)
    return turns
  }

  test('with turns of the event loop between them, one body after another', async () => {
    const one = observation(short, short, megabyte)
    const other = observation(megabyte, megabyte, short)
    const order: string[] = []
    const both = Promise.all([
      Promise.resolve(observationBytes(one)).finally(() => order.push('one')),
      Promise.resolve(observationBytes(other)).finally(() => order.push('other')),
    ])
    expect(await turnsOf(both)).toBeGreaterThanOrEqual(6)
    const [first, second] = await both
    expect(first.toString()).toBe(JSON.stringify(inText(one)))
    expect(second.toString()).toBe(JSON.stringify(inText(other)))
    expect(order).toEqual(['one', 'other'])
  })

  test('of which a flood of bodies gets more in each turn, so that they do not pile up', async () => {
    const flood = Array.from({ length: 50 }, () => observationBytes(observation(short, short, megabyte)))
    expect(await turnsOf(Promise.all(flood))).toBeLessThan(50)
  })

  test('while a short one is encoded at once', () => {
    expect(observationBytes(observation(short, short, [Buffer.alloc(200 * 1024)]))).toBeInstanceOf(Buffer)
  })
})
