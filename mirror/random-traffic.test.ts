import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { fakeUpstream } from './testing/fake-upstream.ts'
import { mirrorUnderTest, send, skippedOf } from './testing/mirror-under-test.ts'

/** mulberry32: the same mix for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test('under a random mix of everything the ledger always balances, and no memory stays held', async () => {
  const random = randomFrom(20261121)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!
  const misbehaving =
    (rate: number) => (incoming: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => {
      incoming.resume()
      incoming.on('error', () => {})
      incoming.on('end', () => {
        if (random() > rate) response.end(randomBytes(Math.floor(random() * 3000)))
        else {
          const how = pick(['hang', 'reset', 'half', 'huge', 'late', 'error'])
          if (how === 'reset') incoming.socket.destroy()
          else if (how === 'huge') response.end(Buffer.alloc(300_000))
          else if (how === 'late') setTimeout(() => response.end('late'), random() * 100)
          else if (how === 'error') response.writeHead(500).end('{}')
          else if (how === 'half') {
            response.writeHead(200, { 'content-length': '5000' })
            response.write('half', () => setTimeout(() => incoming.socket.destroy(), 5))
          }
        }
      })
    }
  const primary = await fakeUpstream(misbehaving(0.15))
  const candidate = await fakeUpstream(misbehaving(0.4))
  const comparator = await fakeComparator()
  comparator.onBundle = () => (random() < 0.2 ? { status: 503 } : undefined)
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    timeout: '300ms',
    comparator: { url: comparator.url, token: 't' },
    routes: [
      {
        path: '/p',
        candidates: [
          { validation: 'a', url: candidate.url, deadline: '200ms', concurrency: 2, queue: 2 },
          { validation: 'b', url: candidate.url, deadline: '150ms', concurrency: 4, queue: 0, share: 0.6 },
        ],
      },
    ],
    capture: { bodyMax: '100KiB', memoryMax: '3MiB' },
  })
  comparator.route(2, { a: { livePercent: 20 } })

  let isOver = false
  let looks = 0
  const watching = (async () => {
    while (!isOver) {
      for (const account of Object.values(await mirror.ledger())) {
        expect(account.seen).toBe(account.delivered + account.pending + skippedOf(account))
      }
      looks++
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()

  const total = 300
  const one = async () => {
    const body = randomBytes(Math.floor(random() ** 4 * 150_000))
    if (random() > 0.15) {
      await send(`${mirror.url}/p`, { body }).catch(() => {})
      return
    }
    const outgoing = request(`${mirror.url}/p`, { method: 'POST', headers: { 'content-length': body.length + 1 } })
    outgoing.on('error', () => {})
    outgoing.write(body)
    if (random() > 0.5) outgoing.end('x')
    await new Promise((resolve) => setTimeout(resolve, random() * 30))
    outgoing.destroy()
  }
  let sent = 0
  const worker = async () => {
    while (sent < total) {
      sent++
      await one()
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))

  comparator.onBundle = undefined
  await waitFor('everything to end', async () => {
    const { a, b } = await mirror.ledger()
    return a!.pending + b!.pending === 0 && mirror.heldBytes === 0
  })
  const { a, b } = await mirror.ledger()
  isOver = true
  await watching
  expect(looks).toBeGreaterThan(20)
  expect(mirror.heldBytes).toBe(0)
  // a client that left before its head had arrived was never seen
  expect(a!.seen).toBeGreaterThan(total * 0.8)
  expect(b!.seen).toBe(a!.seen)
  expect(a!.delivered + b!.delivered).toBe(comparator.observations.size)
  expect(a!.delivered).toBeGreaterThan(50)
  expect(Object.keys(a!.skipped).sort()).toEqual(expect.arrayContaining(['aborted', 'shed', 'tooLarge']))
  expect(b!.skipped.notSampled).toBeGreaterThan(0)
  const kinds = new Set([...comparator.observations.values()].map(({ candidate: { kind } }) => kind))
  expect([...kinds]).toEqual(expect.arrayContaining(['answered', 'timedOut', 'reset', 'tooLarge']))
  expect((await mirror.admin('/metrics')).text).not.toMatch(/^understudy_mirror_errors_total\{.*\} [1-9]/m)
})
