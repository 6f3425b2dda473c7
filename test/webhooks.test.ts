import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import type { WebhookBody } from '../vocabulary/api/webhook.ts'
import { classification, startTestComparator, type TestComparator } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'

interface Received {
  headers: Record<string, string | undefined>
  body: string
  parsed: WebhookBody
  /** By the comparator, which had no answer. */
  isGivenUp: boolean
}

/** A receiver that answers with the status `answer` returns, or not at all. */
async function startReceiver(answer: (received: Received, count: number) => number | 'hang') {
  const received: Received[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const headers = request.headers as Received['headers']
      const one: Received = { headers, body, parsed: JSON.parse(body), isGivenUp: false }
      received.push(one)
      response.once('close', () => {
        one.isGivenUp = !response.writableEnded
      })
      const status = answer(one, received.length)
      if (status === 'hang') return
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, stop }
}

const secret = 'a secret of sixteen characters'
type Receiver = Awaited<ReturnType<typeof startReceiver>>
let good: Receiver
let flaky: Receiver
let hung: Receiver
let comparator: TestComparator
const { promote, act, call } = promoting(() => comparator)
const dead = 'http://127.0.0.1:9/nobody'

beforeAll(async () => {
  good = await startReceiver(() => 200)
  flaky = await startReceiver((_, count) => (count === 1 ? 500 : count === 2 ? 302 : 204))
  hung = await startReceiver(() => 'hang')
  comparator = await startTestComparator(
    ['told', 'kept'].map((name) => ({ ...classification, name, rollout: { steps: [10, 100], stepDuration: '60s' } })),
    {
      more: {
        webhooks: [
          { url: good.url, secret },
          { url: flaky.url, secret, events: ['promotion.rollback'] },
          { url: hung.url, secret },
          { url: dead, secret },
        ],
      },
    },
  )
})
afterAll(async () => {
  await comparator?.close()
  for (const receiver of [good, flaky, hung]) receiver?.stop()
})
afterEach(() => {
  good.received.length = 0
})

const eventsOf = (receiver: Receiver, validation: string) =>
  receiver.received.filter(({ parsed }) => parsed.validation === validation).map(({ parsed }) => parsed.event)
const isGenuine = ({ headers, body }: Received, key: string) => {
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-understudy-signature'] ?? '')!
  expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(60)
  return createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex') === hex
}

test('a decision is delivered once, signed, to receivers that accept it, while others hang, fail or are gone', async () => {
  await comparator.post(evidence('told'))
  const { body: promotion } = await promote('told')
  await act(promotion.id, 'rollback', { comment: 'back' })
  // nobody waited for the receiver that hangs
  expect(hung.received.filter(({ parsed, isGivenUp }) => parsed.event === 'promotion.rollback' && isGivenUp)).toEqual(
    [],
  )

  const expected = ['verdict.changed', 'promotion.request', 'rollout.step', 'promotion.rollback']
  await waitFor(
    'every event to be told',
    () => eventsOf(good, 'told'),
    (events) => events.length >= expected.length,
  )
  expect(eventsOf(good, 'told').sort()).toEqual([...expected].sort())
  for (const one of good.received) {
    expect(isGenuine(one, secret)).toBe(true)
    expect(isGenuine(one, 'another secret')).toBe(false)
    expect(one.headers['x-understudy-delivery']).toBe(one.parsed.id)
    expect(one.headers['x-understudy-event']).toBe(one.parsed.event)
  }
  const told = good.received.find(({ parsed }) => parsed.event === 'promotion.rollback')!.parsed
  const { body: audit } = await call('GET', '/v1/audit?limit=50')
  const entry = audit.entries.find(({ action }: { action: string }) => action === 'promotion.rollback')
  expect(told.data).toMatchObject({ actor: 'ana', promotion: promotion.id, audit: { id: entry.id, hash: entry.hash } })

  // it answered 500, then redirected, then accepted: the same delivery each time
  await waitFor(
    'the third attempt',
    () => flaky.received.length,
    (count) => count >= 3,
  )
  expect(new Set(flaky.received.map(({ parsed }) => parsed.id)).size).toBe(1)
  expect(new Set(flaky.received.map(({ body }) => body)).size).toBe(1)
  expect(hung.received.length).toBeGreaterThan(0)
})

test('an undelivered decision is delivered after a restart', async () => {
  await comparator.post(evidence('kept'))
  const { body: promotion } = await promote('kept')
  await act(promotion.id, 'abort', { comment: 'no' })
  await comparator.restart()
  await waitFor(
    "the promotion's end to be told",
    () => eventsOf(good, 'kept'),
    (events) => events.includes('promotion.abort'),
  )
  const before = hung.received.length
  await waitFor(
    'the next attempt',
    () => hung.received.length,
    (count) => count > before,
  )
})
