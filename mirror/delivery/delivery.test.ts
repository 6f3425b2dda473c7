import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type FakeComparator, fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { type MirrorUnderTest, mirrorUnderTest, route, send, tempDir } from '../testing/mirror-under-test.ts'

async function setUp(section: Record<string, unknown> = {}, comparator?: FakeComparator, logger?: Logger) {
  const upstream = await fakeUpstream(answering('{"prediction":1}'))
  const fake = comparator ?? (await fakeComparator())
  const config = {
    primary: upstream.url,
    comparator: { url: fake.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url }),
    ...section,
  }
  return { mirror: await mirrorUnderTest(config, systemClock, logger), comparator: fake }
}

const sendMany = async (mirror: MirrorUnderTest, count: number, body = '{}') => {
  for (let i = 0; i < count; i++) await send(`${mirror.url}/p`, { body })
}
const spooling = async (mirror: MirrorUnderTest) =>
  /^understudy_mirror_spooling 1$/m.test((await mirror.admin('/metrics')).text)
const diskFailing = async (mirror: MirrorUnderTest) =>
  /^understudy_mirror_disk_failing 1$/m.test((await mirror.admin('/metrics')).text)
const spoolBytes = async (mirror: MirrorUnderTest) =>
  Number(/^understudy_mirror_spool_bytes (\d+)$/m.exec((await mirror.admin('/metrics')).text)![1])

describe('observations reach the comparator', () => {
  test('in bundles', async () => {
    const { mirror, comparator } = await setUp()
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 40 }, () => send(`${mirror.url}/p`, { body: '{}' })))
    expect(await mirror.settled('v', 40)).toMatchObject({ delivered: 40, skipped: {} })
    // one is sent at most every 100 ms
    expect(comparator.bundles.length).toBeLessThanOrEqual((performance.now() - startedAt) / 100 + 1)
    expect([comparator.observations.size, comparator.repeated]).toEqual([40, 0])
  })

  test('nothing is lost or counted twice when it goes away and comes back', async () => {
    const { mirror, comparator } = await setUp()
    await sendMany(mirror, 5)
    await comparator.close()
    await sendMany(mirror, 20)
    await waitFor('the spool to be in use', () => spooling(mirror))
    await sendMany(mirror, 20)
    await waitFor('memory to be empty', () => mirror.heldBytes === 0)
    expect((await mirror.ledger()).v!.pending).toBeGreaterThanOrEqual(40)
    const back = await fakeComparator(comparator.port)
    expect(await mirror.settled('v', 45)).toEqual({ seen: 45, delivered: 45, pending: 0, skipped: {} })
    expect(comparator.observations.size + back.observations.size).toBe(45)
    await waitFor('direct delivery again', async () => !(await spooling(mirror)))
    expect(await spoolBytes(mirror)).toBe(0)
    await sendMany(mirror, 3)
    await mirror.settled('v', 48)
    expect([back.observations.size + comparator.observations.size, back.repeated]).toEqual([48, 0])
  })

  test('with statuses 500 and 401 it counts as away, not as refusing, and the log says each reason once', async () => {
    const { logger, lines } = loggerUnderTest()
    const { mirror, comparator } = await setUp({}, undefined, logger)
    const statuses = [500, 500, 401, 500, 503, 404, 429]
    comparator.onBundle = () => (statuses.length > 0 ? { status: statuses.shift()! } : undefined)
    await sendMany(mirror, 3)
    expect(await mirror.settled('v', 3)).toMatchObject({ delivered: 3, skipped: {} })
    expect(statuses).toEqual([])
    const said = lines.filter(({ msg }) => msg.startsWith('the comparator is'))
    expect(said.map(({ msg, reason }) => reason ?? msg)).toEqual([
      ...[500, 401, 503, 404, 429].map((status) => expect.stringContaining(`status ${status}`)),
      'the comparator is back',
    ])
  })

  test('a delivery that a mirror gives up as it stops is no reason of its own', async () => {
    const { logger, lines } = loggerUnderTest()
    let deliveries = 0
    const comparator = await fakeUpstream(({ url }, response) => {
      const isDelivery = url!.startsWith('/v1/observations')
      if (isDelivery && ++deliveries > 1) return // silent
      response.writeHead(isDelivery ? 503 : 202).end()
    })
    const { mirror } = await setUp({ comparator: { url: comparator.url, token: 't' } }, undefined, logger)
    await sendMany(mirror, 1)
    await waitFor('a second delivery', () => deliveries > 1)
    await mirror.stop()
    const said = lines.filter(({ msg }) => msg.startsWith('the comparator is'))
    expect(said.map(({ reason }) => reason)).toEqual([expect.stringContaining('status 503')])
  })

  test('an observation that it rejects is skipped as rejected, and no other', async () => {
    const { mirror, comparator } = await setUp()
    comparator.onBundle = (observations) => ({
      status: 202,
      body: observations.flatMap(({ request }, index) =>
        request.body === 'bad' ? [{ index, code: 'TOO_OLD', message: 'x' }] : [],
      ),
    })
    await Promise.all(['{}', 'bad', '{}', 'bad', '{}'].map((body) => send(`${mirror.url}/p`, { body })))
    expect(await mirror.settled('v', 5)).toEqual({ seen: 5, delivered: 3, pending: 0, skipped: { rejected: 2 } })
  })

  test('a bundle that it refuses is halved until the faulty observation is alone', async () => {
    const { mirror, comparator } = await setUp()
    comparator.onBundle = (observations) =>
      observations.some(({ request }) => request.body === 'poison') ? { status: 413 } : undefined
    const bodies = Array.from({ length: 16 }, (_, i) => (i === 11 ? 'poison' : '{}'))
    await Promise.all(bodies.map((body) => send(`${mirror.url}/p`, { body })))
    expect(await mirror.settled('v', 16)).toEqual({ seen: 16, delivered: 15, pending: 0, skipped: { rejected: 1 } })
    expect(comparator.repeated).toBe(0)
  })

  test('nothing is lost if it goes away while a refused bundle is halved', async () => {
    const { mirror, comparator } = await setUp()
    const statuses = [413, 503]
    comparator.onBundle = ({ length }) => {
      const isNext = statuses[0] === 503 || (statuses[0] === 413 && length > 1)
      return isNext ? { status: statuses.shift()! } : undefined
    }
    await Promise.all(Array.from({ length: 16 }, () => send(`${mirror.url}/p`, { body: '{}' })))
    expect(await mirror.settled('v', 16)).toEqual({ seen: 16, delivered: 16, pending: 0, skipped: {} })
    expect([statuses, comparator.repeated, mirror.heldBytes]).toEqual([[], 0, 0])
  })

  test('nothing is lost if a mirror stops when half of a bundle from disk has arrived', async () => {
    const spool = { dir: tempDir() }
    const { mirror, comparator } = await setUp({ spool })
    const statuses = [503, 413, 202]
    comparator.onBundle = ({ length }) => {
      const status = statuses[0] === 413 && length === 1 ? 202 : (statuses.shift() ?? 503)
      return status === 202 ? undefined : { status }
    }
    await Promise.all(Array.from({ length: 16 }, () => send(`${mirror.url}/p`, { body: '{}' })))
    await waitFor('half of it', () => comparator.observations.size > 0)
    await mirror.stop()
    comparator.onBundle = undefined
    await setUp({ spool }, comparator)
    await waitFor('the rest', () => comparator.observations.size === 16)
  })

  test('an observation larger than a bundle is delivered alone', async () => {
    const { mirror, comparator } = await setUp()
    await Promise.all(['{}', 'x'.repeat(600_000), '{}'].map((body) => send(`${mirror.url}/p`, { body })))
    expect(await mirror.settled('v', 3)).toMatchObject({ delivered: 3 })
    expect(comparator.bundles.length).toBeGreaterThan(1)
    expect(mirror.heldBytes).toBe(0)
  })

  test('two bundles at most are under way at once', async () => {
    const answers: (() => void)[] = []
    // all four together, so that each has a bundle to wait for
    const candidate = await fakeUpstream(async (request, response) => {
      await readAll(request)
      answers.push(() => response.end('{}'))
      if (answers.length === 4) for (const answer of answers) answer()
    })
    const two = Promise.withResolvers<void>()
    let [underWay, most] = [0, 0]
    const comparator = await fakeUpstream(async (request, response) => {
      if (request.url !== '/v1/observations') return void response.writeHead(202).end('{}')
      most = Math.max(most, ++underWay)
      response.on('close', () => underWay--)
      if (most === 2) two.resolve()
      const { observations } = JSON.parse((await readAll(request)).toString())
      await two.promise
      await sleep(20)
      const receipt = { accepted: observations.length, duplicates: 0, rejected: [] }
      response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(receipt))
    })
    const routes = route({ validation: 'v', url: candidate.url })
    const { mirror } = await setUp({ comparator: { url: comparator.url, token: 't' }, routes })
    await Promise.all(Array.from({ length: 4 }, () => send(`${mirror.url}/p`, { body: 'x'.repeat(300_000) })))
    await mirror.settled('v', 4)
    expect(most).toBe(2)
  })

  test('a full spool sheds, counts what it shed, and recovers by itself', async () => {
    const comparator = await fakeComparator()
    await comparator.close()
    const { mirror } = await setUp({ spool: { dir: tempDir(), sizeMax: '10KiB' } }, comparator)
    await sendMany(mirror, 40)
    const full = await waitFor('shedding', async () => {
      const { v } = await mirror.ledger()
      return v!.seen === 40 && (v!.skipped.shed ?? 0) > 0 && mirror.heldBytes === 0 ? v : undefined
    })
    expect(full.pending).toBeGreaterThan(0)
    expect(await spoolBytes(mirror)).toBeLessThanOrEqual(10 * 1024)
    const back = await fakeComparator(comparator.port)
    const account = await mirror.settled('v', 40)
    expect(account.delivered).toBe(back.observations.size)
    expect(account.delivered + account.skipped.shed!).toBe(40)
    await sendMany(mirror, 2)
    expect((await mirror.settled('v', 42)).delivered).toBe(account.delivered + 2)
  })

  test('while the disk fails they are held in memory, and written once it works', async () => {
    const dir = join(tempDir(), 'spool')
    writeFileSync(dir, 'no directory')
    const comparator = await fakeComparator()
    await comparator.close()
    const { mirror } = await setUp({ spool: { dir } }, comparator)
    await sendMany(mirror, 3)
    await waitFor('the spool to be in use', () => spooling(mirror))
    await sendMany(mirror, 3)
    expect((await mirror.ledger()).v).toMatchObject({ seen: 6, skipped: {} })
    expect(mirror.heldBytes).toBeGreaterThan(0)
    rmSync(dir)
    await waitFor('all on disk', async () => (await spoolBytes(mirror)) > 0 && mirror.heldBytes === 0)
    await fakeComparator(comparator.port)
    expect(await mirror.settled('v', 6)).toEqual({ seen: 6, delivered: 6, pending: 0, skipped: {} })
  })

  test('while the disk fails they are delivered from memory, and shed only if that is full', async () => {
    const dir = join(tempDir(), 'spool')
    writeFileSync(dir, 'no directory')
    const comparator = await fakeComparator()
    await comparator.close()
    const { mirror } = await setUp({ spool: { dir }, capture: { bodyMax: '2KiB', memoryMax: '8KiB' } }, comparator)
    await sendMany(mirror, 40)
    expect(mirror.heldBytes).toBeLessThanOrEqual(8 * 1024)
    const back = await fakeComparator(comparator.port)
    const account = await mirror.settled('v', 40)
    expect(account).toMatchObject({ seen: 40, delivered: back.observations.size })
    expect(account.delivered).toBeGreaterThan(2)
    expect(account.skipped.shed).toBeGreaterThan(2)
    expect([back.repeated, mirror.heldBytes]).toEqual([0, 0])
  })

  test('what can’t be read for a while is not lost, and not retried all the time', async () => {
    const dir = tempDir()
    const comparator = await fakeComparator()
    await comparator.close()
    const { mirror } = await setUp({ spool: { dir } }, comparator)
    const segments = () => readdirSync(dir).filter((name) => name.endsWith('.spool'))
    let sent = 0
    // the first segment is read as soon as it exists, so that what comes later goes to a second
    while (segments().length < 2) {
      await sendMany(mirror, 1)
      sent++
    }
    await waitFor('all on disk', () => mirror.heldBytes === 0)
    // a directory in its place opens but cannot be read
    const file = join(dir, segments()[1]!)
    renameSync(file, `${file}.aside`)
    mkdirSync(file)
    await fakeComparator(comparator.port)
    await waitFor('the disk to fail', () => diskFailing(mirror))
    expect((await mirror.ledger()).v).toMatchObject({ seen: sent, skipped: {} })
    rmdirSync(file)
    renameSync(`${file}.aside`, file)
    expect(await mirror.settled('v', sent)).toEqual({ seen: sent, delivered: sent, pending: 0, skipped: {} })
    expect(await diskFailing(mirror)).toBe(false)
  })

  test('what an earlier mirror left on a disk that can’t be written at the start is delivered once it can be', async () => {
    const dir = tempDir()
    const comparator = await fakeComparator()
    await comparator.close()
    const { mirror } = await setUp({ spool: { dir } }, comparator)
    await sendMany(mirror, 5)
    await waitFor('all on disk', async () => (await spoolBytes(mirror)) > 0 && mirror.heldBytes === 0)
    await mirror.stop()
    // as on a failing disk, the lock cannot be taken
    const inItsPlace = join(dir, 'lock')
    mkdirSync(inItsPlace)
    const back = await fakeComparator(comparator.port)
    const again = await setUp({ spool: { dir } }, back)
    await sendMany(again.mirror, 1)
    expect(await again.mirror.settled('v', 1)).toMatchObject({ seen: 1, delivered: 1 })
    expect(await diskFailing(again.mirror)).toBe(true)
    rmdirSync(inItsPlace)
    expect(await again.mirror.settled('v', 6)).toEqual({ seen: 6, delivered: 6, pending: 0, skipped: {} })
    await waitFor('the disk to be well', async () => !(await diskFailing(again.mirror)))
  })

  test('a bundle whose answer takes longer than a second is on disk too', async () => {
    const hung = await fakeUpstream(hanging)
    const { mirror } = await setUp({ comparator: { url: hung.url, token: 't' }, drain: '200ms' })
    await sendMany(mirror, 1)
    await waitFor('the delivery', () => hung.heads.some(({ url }) => url === '/v1/observations'))
    // far less than the time limit of a delivery from disk
    await waitFor('it on disk', async () => (await spoolBytes(mirror)) > 0 && mirror.heldBytes === 0, Boolean, 8000)
    expect((await mirror.ledger()).v!.pending).toBe(1)
    // otherwise the stop would wait for it too
    await hung.close()
  })

  test('what a slow comparator leaves waiting for a second goes to disk, however little it is', async () => {
    const receipt = JSON.stringify({ accepted: 1, duplicates: 0, rejected: [] })
    const slow = await fakeUpstream((request, response) => {
      request.resume()
      setTimeout(() => response.writeHead(202).end(receipt), 400)
    })
    const { mirror } = await setUp({ comparator: { url: slow.url, token: 't' }, drain: '200ms' })
    // each is a bundle of its own, and two are delivered at a time
    const body = 'x'.repeat(150_000)
    await Promise.all(Array.from({ length: 12 }, () => send(`${mirror.url}/p`, { body })))
    await waitFor(
      'the rest on disk',
      async () => (await spoolBytes(mirror)) > 0 && mirror.heldBytes === 0,
      Boolean,
      8000,
    )
    expect((await mirror.ledger()).v!.delivered).toBeLessThan(12)
  })

  test('a stop while both the comparator and the disk fail releases them', async () => {
    const dir = join(tempDir(), 'spool')
    writeFileSync(dir, 'no directory')
    const comparator = await fakeComparator()
    await comparator.close()
    const { mirror } = await setUp({ spool: { dir }, drain: '100ms' }, comparator)
    await sendMany(mirror, 3)
    await waitFor('the spool to be in use', () => spooling(mirror))
    await mirror.stop()
    expect(mirror.heldBytes).toBe(0)
  })
})

test('coverage reports add up to the ledger', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url, share: 0.5 }),
    capture: { bodyMax: '2KiB' },
  })
  await sendMany(mirror, 20)
  await sendMany(mirror, 3, 'x'.repeat(5000))
  const account = await mirror.settled('v', 23)
  const totals = () => {
    const reports = [...comparator.coverage.values()]
    const sum = (pick: (report: (typeof reports)[number]) => number) => reports.reduce((all, one) => all + pick(one), 0)
    return {
      seen: sum(({ seen }) => seen),
      notSampled: sum(({ skipped }) => skipped.notSampled ?? 0),
      tooLarge: sum(({ skipped }) => skipped.tooLarge ?? 0),
    }
  }
  await waitFor('coverage of everything', () => totals().seen === 23)
  expect(totals()).toMatchObject({ notSampled: account.skipped.notSampled, tooLarge: account.skipped.tooLarge ?? 0 })
  expect([...comparator.coverage.values()].map(({ sizeClass }) => sizeClass)).toContain('le10KiB')
})

test('coverage of what happened while the comparator was away survives a restart', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  await comparator.close()
  const section = {
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url }),
    spool: { dir: tempDir() },
  }
  const first = await mirrorUnderTest(section)
  await sendMany(first, 7)
  await first.stop()
  const back = await fakeComparator(comparator.port)
  const second = await mirrorUnderTest(section)
  await sendMany(second, 2)
  await second.settled('v', 9)
  const seen = () => [...back.coverage.values()].reduce((sum, report) => sum + report.seen, 0)
  await waitFor('coverage of everything', () => seen() === 9)
  expect(new Set([...back.coverage.values()].map(({ reporter }) => reporter)).size).toBe(2)
  expect(back.observations.size).toBe(9)
})

test('a comparator that hangs counts as away, and a stop leaves everything for the next start', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const hung = await fakeUpstream(hanging)
  const section = {
    primary: upstream.url,
    routes: route({ validation: 'v', url: upstream.url }),
    spool: { dir: tempDir() },
    drain: '200ms',
  }
  const first = await mirrorUnderTest({ ...section, comparator: { url: hung.url, token: 't' } })
  const posts = () => hung.heads.filter(({ url }) => url === '/v1/observations').length
  await sendMany(first, 1)
  await waitFor('a first delivery', () => posts() === 1)
  await sendMany(first, 1)
  await waitFor('a second delivery', () => posts() === 2)
  await sendMany(first, 3)
  await waitFor('the spool to be in use', () => spooling(first))
  await sendMany(first, 2)
  await waitFor('them on disk', async () => (await spoolBytes(first)) > 0)
  await first.stop()
  expect(first.heldBytes).toBe(0)
  const back = await fakeComparator()
  const second = await mirrorUnderTest({ ...section, comparator: { url: back.url, token: 't' } })
  expect(await second.settled('v', 7)).toEqual({ seen: 7, delivered: 7, pending: 0, skipped: {} })
  expect(back.observations.size).toBe(7)
})
