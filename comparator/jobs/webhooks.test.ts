import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { openTestStore } from '../../test/support/intake.ts'
import { dayMs, hourMs } from '../../vocabulary/units.ts'
import { Webhooks } from './webhooks.ts'

const never = new AbortController().signal

async function startWebhooks(url: string) {
  const store = await openTestStore([])
  onTestFinished(store.close)
  const time = { now: Date.parse('2026-11-21T08:00:00Z') }
  const clock = { now: () => time.now, monotonic: () => time.now }
  const webhook = { url, secret: 's'.repeat(32), events: ['promotion.request' as const] }
  const webhooks = new Webhooks([webhook], clock, createLogger('test', 'silent'))
  const notify = () => webhooks.notify(store.db, 'promotion.request', 'digits', {})
  return { db: store.db, time, webhooks, notify }
}

test('a delivery that is refused is tried again after 1 s, 2 s, 4 s … up to an hour', async () => {
  const receiver = createServer((_request, response) => response.writeHead(503).end())
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const { port } = receiver.address() as AddressInfo
  const { db, time, webhooks, notify } = await startWebhooks(`http://127.0.0.1:${port}/`)
  await notify()
  const waits: number[] = []
  for (let attempt = 0; attempt < 14; attempt++) {
    // the second finds nothing that is due
    for (const deliver of [...webhooks.deliveries(db, never), ...webhooks.deliveries(db, never)]) await deliver()
    const { next_at } = await db.selectFrom('webhook_delivery').select('next_at').executeTakeFirstOrThrow()
    waits.push((next_at.getTime() - time.now) / 1000)
    time.now = next_at.getTime()
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600])
})

test('what one comparator is delivering, another does not send too', async () => {
  const asked = Promise.withResolvers<void>()
  const held: ServerResponse[] = []
  const receiver = createServer((_request, response) => {
    held.push(response)
    asked.resolve()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const { port } = receiver.address() as AddressInfo
  const { db, webhooks, notify } = await startWebhooks(`http://127.0.0.1:${port}/`)
  await notify()
  const [one, other] = [webhooks, webhooks].map((of) => of.deliveries(db, never)[0]!)
  const delivering = one!()
  await asked.promise
  await other!()
  expect(held).toHaveLength(1)
  held[0]!.end()
  await delivering
})

test('an undelivered event is dropped after three days, and the oldest of more than 10,000 before', async () => {
  const { db, time, webhooks, notify } = await startWebhooks('http://127.0.0.1:9/')
  const waiting = async () => {
    const { rows } = await sql<{ at: Date }>`select created_at as at from webhook_delivery order by 1`.execute(db)
    return rows.map(({ at }) => at.getTime())
  }
  const began = time.now
  await notify()
  time.now = began + 3 * dayMs
  await webhooks.expire(db)
  expect(await waiting()).toEqual([began])
  time.now++
  await webhooks.expire(db)
  expect(await waiting()).toEqual([])

  await notify()
  time.now += hourMs
  await notify()
  const [, second] = await waiting()
  await sql`
    insert into webhook_delivery (id, target, event, body, created_at, next_at)
    select gen_random_uuid(), target, event, body, created_at + interval '1 hour', next_at
    from (select * from webhook_delivery order by created_at desc limit 1) as newest, generate_series(1, 9999)
  `.execute(db)
  await webhooks.expire(db)
  const left = await waiting()
  expect([left.length, left[0]]).toEqual([10_000, second])
})
