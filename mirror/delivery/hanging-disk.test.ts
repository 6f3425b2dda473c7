import { closeSync, constants, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type FakeComparator, fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { holdBack } from '../testing/held-back.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { comparing, mirrorUnderTest, send, tempDir } from '../testing/mirror-under-test.ts'

/** A mirror whose comparator is away, so that observations go to disk. */
async function setUp() {
  const dir = tempDir()
  const { logger, lines } = loggerUnderTest()
  const comparator = await fakeComparator()
  const section = comparing(await fakeUpstream(answering('{}')), comparator)
  const mirror = await mirrorUnderTest({ ...section, spool: { dir }, drain: '100ms' }, systemClock, logger)
  await comparator.close()
  const metric = async (name: string) =>
    Number(new RegExp(`^understudy_mirror_${name} (\\d+)$`, 'm').exec((await mirror.admin('/metrics')).text)![1])
  const sendMany = async (count: number) => {
    for (let i = 0; i < count; i++) expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  }
  const account = async () => (await mirror.ledger()).v!
  const said = () => lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('the spool’s disk'))
  return { dir, comparator, mirror, metric, sendMany, account, said, lines }
}

const seenIn = ({ coverage }: FakeComparator) => [...coverage.values()].reduce((sum, { seen }) => sum + seen, 0)

test('a disk that hangs when the spool is locked keeps a mirror neither from starting nor from delivering', async () => {
  const [dir, upstream, comparator] = [tempDir(), await fakeUpstream(answering('{}')), await fakeComparator()]
  holdBack(join(dir, 'lock'))
  const { logger, lines } = loggerUnderTest()
  const mirror = await mirrorUnderTest({ ...comparing(upstream, comparator), spool: { dir } }, systemClock, logger)
  expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  expect(await mirror.settled('v', 1)).toMatchObject({ delivered: 1 })
  const notOpened = lines.filter(({ msg }) => msg === 'the spool cannot be opened; it is tried again every second')
  expect(notOpened).toMatchObject([{ level: 'error', err: { message: 'the disk has not answered for 5000 ms' } }])
})

test('while a write to the disk hangs, observations are delivered from memory, and those in the write after it', async () => {
  const { dir, comparator, mirror, metric, sendMany, account, said } = await setUp()
  // the first write looks whether the directory is still ours
  const lock = join(dir, 'lock')
  const content = readFileSync(lock)
  const answer = holdBack(lock)
  await sendMany(1)
  await waitFor('the disk to be in use', async () => (await metric('spooling')) === 1)
  await sendMany(5)
  const back = await fakeComparator(comparator.port)
  await waitFor('delivery from memory', async () => (await account()).delivered === 5)
  await sendMany(5)
  await waitFor('more of it', async () => (await account()).delivered === 10)
  expect(await account()).toEqual({ seen: 11, delivered: 10, pending: 1, skipped: {} })
  expect([await metric('disk_failing'), said().length]).toEqual([1, 1])
  await answer()
  rmSync(lock)
  writeFileSync(lock, content)
  expect(await mirror.settled('v', 11)).toEqual({ seen: 11, delivered: 11, pending: 0, skipped: {} })
  await waitFor('direct delivery', async () => (await metric('spooling')) === 0)
  expect([back.observations.size, back.repeated, mirror.heldBytes, await metric('disk_failing')]).toEqual([11, 0, 0, 0])
  expect(said()).toEqual([
    'the spool’s disk does not answer; memory holds what it has room for and is delivered',
    'the spool’s disk answers again',
  ])
})

test('while a read from the disk hangs, new observations are delivered, and a stop delivers the last of them', async () => {
  const { dir, comparator, mirror, metric, sendMany, account } = await setUp()
  // one, as several may go to more than one segment
  await sendMany(1)
  await waitFor('it on disk', async () => (await metric('spool_bytes')) > 0 && mirror.heldBytes === 0)
  const [segment] = readdirSync(dir).filter((name) => name.endsWith('.spool'))
  // the first segment has been read and is with the outbox; these go to later ones
  await sendMany(3)
  await waitFor('them too', () => mirror.heldBytes === 0)
  const later = readdirSync(dir).filter((name) => name.endsWith('.spool') && name !== segment)
  const answers = later.map((name) => holdBack(join(dir, name)))
  expect(answers.length).toBeGreaterThan(0)
  const back = await fakeComparator(comparator.port)
  await waitFor('the read to hang', async () => (await metric('disk_failing')) === 1)
  await sendMany(5)
  await waitFor('the delivery of new ones', async () => (await account()).pending <= 3)
  expect(await account()).toMatchObject({ seen: 9, skipped: {} })
  const before = back.observations.size
  await sendMany(1)
  const stopped = mirror.stop()
  await waitFor('the last', () => back.observations.size > before)
  await Promise.all(answers.map((answer) => answer()))
  await stopped
})

test('a stop does not wait for a disk that hangs: the last observations and counts reach the comparator', async () => {
  const { dir, comparator, mirror, metric, sendMany } = await setUp()
  holdBack(join(dir, 'lock'))
  await sendMany(1)
  await waitFor('the disk to hang', async () => (await metric('disk_failing')) === 1)
  const back = await fakeComparator(comparator.port)
  await sendMany(1)
  await waitFor('the comparator to be known to be back', () => back.observations.size === 1)
  await sendMany(3)
  await mirror.stop()
  expect(back.observations.size).toBe(4)
  expect(seenIn(back)).toBe(5)
})

test('what a disk that hangs and the comparator do not take is counted as shed at a stop', async () => {
  const { dir, mirror, metric, sendMany, lines } = await setUp()
  holdBack(join(dir, 'lock'))
  await sendMany(1)
  await waitFor('the disk to be in use', async () => (await metric('spooling')) === 1)
  await sendMany(3)
  await mirror.stop()
  expect(mirror.accounts().v).toEqual({ seen: 4, delivered: 0, pending: 1, skipped: { shed: 3 } })
  expect(lines.at(-1)).toMatchObject({ level: 'error', observations: 3 })
})

test('while coverage cannot be kept because the disk hangs, it is reported all the same', async () => {
  const { dir, comparator, mirror, sendMany } = await setUp()
  const written = join(dir, 'coverage.json.new')
  holdBack(written)
  await sendMany(3)
  // a report that fails is kept
  const refused = await fakeUpstream((_request, response) => response.writeHead(503).end(), comparator.port)
  const isReport = ({ url }: { url: string }) => url === '/v1/coverage'
  await waitFor('two reports', () => refused.heads.filter(isReport).length >= 2)
  await refused.close()
  const back = await fakeComparator(comparator.port)
  await waitFor('the reports', () => seenIn(back) === 3)
  const reader = openSync(written, constants.O_RDWR | constants.O_NONBLOCK)
  rmSync(written)
  await mirror.stop()
  closeSync(reader)
})
