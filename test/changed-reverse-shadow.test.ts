import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { regression, startTestComparator, tokens } from './support/comparator.ts'
import { createTestDatabase } from './support/database.ts'

const configured = (reverseShadow: boolean) => [
  { ...regression, rollout: { steps: [100], stepDuration: '1h', reverseShadow } },
]
type Running = Awaited<ReturnType<typeof startTestComparator>>
const poll = ({ call }: Running, etag = '""') =>
  call('GET', '/v1/routing?wait=20s', { token: tokens.ingest, headers: { 'if-none-match': etag } })
const said = ({ body, headers }: Awaited<ReturnType<typeof poll>>) => ({
  reverseShadow: body.validations.price.reverseShadow,
  etag: headers.get('etag')!,
})

test('a changed reverseShadow reaches mirrors at their next poll, and a restart without a change does not', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const start = (reverseShadow: boolean) => startTestComparator(configured(reverseShadow), { database })
  const before = await start(true)
  const first = said(await poll(before))
  expect(first.reverseShadow).toBe(true)
  await before.restart()
  expect(said(await poll(before))).toEqual(first)
  await before.stop()

  const after = await start(false)
  onTestFinished(() => after.stop())
  const answer = await poll(after, first.etag)
  expect(answer.status).toBe(200)
  expect(said(answer)).toEqual({ reverseShadow: false, etag: expect.not.stringMatching(first.etag) })
})

test('a comparator that cannot listen changes nothing for mirrors', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const before = await startTestComparator(configured(true), { database })
  const first = said(await poll(before))
  await before.stop()
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const more = { listen: `127.0.0.1:${(taken.address() as AddressInfo).port}` }
  await expect(startTestComparator(configured(false), { database, more })).rejects.toThrow('EADDRINUSE')

  const after = await startTestComparator(configured(true), { database })
  onTestFinished(() => after.stop())
  expect(said(await poll(after))).toEqual(first)
})

test.skipIf(!process.env.DATABASE_URL)(
  'if two comparators have different configs, the one started last decides for both, so no mirror switches back and forth',
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const old = await startTestComparator(configured(true), { database })
    onTestFinished(() => old.stop())
    const waiting = poll(old, said(await poll(old)).etag)
    const fresh = await startTestComparator(configured(false), { database })
    onTestFinished(() => fresh.stop())
    const woken = said(await waiting)
    expect(woken.reverseShadow).toBe(false)
    expect(said(await poll(fresh))).toEqual(woken)
    expect(said(await poll(old))).toEqual(woken)
  },
)
