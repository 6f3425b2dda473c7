import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { holdBack } from '../testing/held-back.ts'
import { mirrorUnderTest, route, send, tempDir } from '../testing/mirror-under-test.ts'
import { Spool } from './spool.ts'

const entry = { validation: 'v', minute: 60_000, sizeClass: 'le1KiB' } as const

/** Each batch goes into a segment of its own. */
async function leaveOnDisk(dir: string, ...lots: string[][]): Promise<string[]> {
  for (const ids of lots) {
    const spool = new Spool(dir, 1e6, { found() {}, lost() {}, damaged() {} })
    await spool.open()
    await spool.append(ids.map((id) => ({ observation: Buffer.from(JSON.stringify({ id })), entry })))
    await spool.close()
  }
  return readdirSync(dir).map((name) => join(dir, name))
}

test('clients are served while a spool is read, and their observations follow those already there', async () => {
  const dir = tempDir()
  const [, second] = await leaveOnDisk(dir, ['a', 'b'], ['c'])
  const giveSecond = holdBack(second!)
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url }),
    spool: { dir },
  })
  const seen = async () => (await mirror.ledger()).v!.seen
  expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  await waitFor('the first segment, and the new one', async () => (await seen()) === 3)
  expect([comparator.observations.size, mirror.resumed.isAll]).toEqual([0, false])
  await giveSecond()
  await waitFor('the second segment', async () => (await seen()) === 4)
  expect(mirror.resumed).toEqual({ counts: { v: 3 }, isAll: true })
  await waitFor('what comes before it', () => comparator.observations.size === 2)
  await giveSecond()
  expect(await mirror.settled('v', 4)).toEqual({ seen: 4, delivered: 4, pending: 0, skipped: {} })
  expect([...comparator.observations.keys()].slice(0, 3)).toEqual(['a', 'b', 'c'])
  expect(comparator.repeated).toBe(0)
})

test('a stop while a spool is read leaves unread and new observations for the next start', async () => {
  const dir = tempDir()
  const [first] = await leaveOnDisk(dir, ['a'], ['b'])
  const giveFirst = holdBack(first!)
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const section = {
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url }),
    spool: { dir },
  }
  const stopped = await mirrorUnderTest(section)
  await send(`${stopped.url}/p`, { body: '{}' })
  const isSpooling = async () => /^understudy_mirror_spooling 1$/m.test((await stopped.admin('/metrics')).text)
  const stopping = stopped.stop()
  await waitFor('deliveries to be closed', async () => !(await isSpooling()))
  await giveFirst()
  await stopping
  expect([comparator.observations.size, stopped.heldBytes]).toEqual([0, 0])

  const mirror = await mirrorUnderTest(section)
  for (let i = 0; i < 2; i++) {
    await giveFirst()
    await waitFor('it to be read', () => mirror.resumed.isAll || i > 0)
  }
  expect(await mirror.settled('v', 3)).toEqual({ seen: 3, delivered: 3, pending: 0, skipped: {} })
  expect([...comparator.observations.keys()].slice(0, 2)).toEqual(['a', 'b'])
})
