import { randomUUIDv7 } from 'node:crypto'
import { existsSync, mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { heartbeatMs } from '../../vocabulary/report-pace.ts'
import { ComparatorClient } from '../comparator-client/comparator-client.ts'
import { Disk } from '../disk.ts'
import { Coverage } from '../ledger/coverage.ts'
import { Ledger } from '../ledger/ledger.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { CoverageReporter } from './report-coverage.ts'

const mirrors = [{ validation: 'v', route: '/p' }]

async function setUp(what: typeof mirrors) {
  const time = { passed: 0 }
  const clock = { now: () => time.passed, monotonic: () => time.passed }
  const comparator = await fakeComparator()
  const client = new ComparatorClient(comparator.url, 't')
  onTestFinished(() => client.close())
  const coverage = new Coverage(randomUUIDv7())
  const ledger = new Ledger(coverage)
  const file = join(tempDir(), 'coverage.json')
  const logger = createLogger('test', 'silent')
  const rejected: string[][] = []
  const logRejection = (...rejection: string[]) => rejected.push(rejection)
  const isDiskOurs = () => true
  const disk = new Disk(logger)
  const options = { coverage, comparator: client, disk, mirrors: what, file, logRejection, clock, logger, isDiskOurs }
  const reporter = new CoverageReporter(options)
  return { time, comparator, client, ledger, reporter, rejected, file, logger }
}

test('a mirror reports what it mirrors at once and every half minute, with or without traffic', async () => {
  const { time, comparator, ledger, reporter } = await setUp(mirrors)
  await reporter.send()
  time.passed = heartbeatMs - 1
  ledger.see('v', 0, 10)
  await reporter.send()
  expect(comparator.heartbeats).toEqual([mirrors])
  expect([...comparator.coverage.values()]).toMatchObject([{ seen: 1 }])
  time.passed = heartbeatMs
  await reporter.send()
  expect(comparator.heartbeats).toEqual([mirrors, mirrors])
})

test('what arrives while a report is being sent waits for the next one', async () => {
  const { client, comparator, ledger, reporter } = await setUp([])
  await reporter.send() // which has read what was kept
  const sent = vi.spyOn(client, 'reportCoverage')
  for (const seen of [1, 3]) {
    ledger.see('v', 0, 10)
    const sending = reporter.send()
    ledger.see('v', 0, 10)
    await sending
    expect([...comparator.coverage.values()]).toMatchObject([{ seen }])
  }
  expect(sent).toHaveBeenCalledTimes(2)
})

test('what arrives while the last report is being sent is sent after it', async () => {
  const { comparator, ledger, reporter } = await setUp([])
  await reporter.send() // which has read what was kept
  ledger.see('v', 0, 10)
  const sending = reporter.send(undefined, true)
  ledger.see('v', 0, 10)
  await sending
  expect([...comparator.coverage.values()]).toMatchObject([{ seen: 2 }])
})

test('says of which validation the comparator rejected a report, and why', async () => {
  const { comparator, ledger, reporter, rejected } = await setUp([])
  ledger.see('v', 0, 10)
  ledger.see('w', 0, 10)
  comparator.rejectedReports = [{ index: 1, code: 'TOO_OLD', message: 'as the test says' }]
  await reporter.send()
  expect(rejected).toEqual([['w', 'TOO_OLD: as the test says']])
})

test('a heartbeat that did not arrive is sent again with the next report', async () => {
  const { comparator, reporter } = await setUp(mirrors)
  await comparator.close()
  await reporter.send()
  const back = await fakeComparator(comparator.port)
  await reporter.send()
  expect(back.heartbeats).toEqual([mirrors])
})

test('a mirror that only forwards has no heartbeat', async () => {
  const { comparator, reporter } = await setUp([])
  await reporter.send()
  expect(comparator.heartbeats).toEqual([])
})

test('a failing disk is logged once, and again only if it worked in between', async () => {
  const { comparator, ledger, reporter, file, logger } = await setUp([])
  const said = vi.spyOn(logger, 'error')
  await reporter.send() // which has read what was kept
  await comparator.close()
  ledger.see('v', 0, 10)
  for (const expected of [1, 2]) {
    mkdirSync(file)
    await reporter.send()
    await reporter.send()
    expect(said).toHaveBeenCalledTimes(expected)
    rmdirSync(file)
    await reporter.send()
    rmSync(file)
  }
})

test('a mirror that never got the disk logs at its end what it could not send', async () => {
  const { comparator, client, file, logger } = await setUp([])
  const said = vi.spyOn(logger, 'error')
  await comparator.close()
  const coverage = new Coverage(randomUUIDv7())
  const ledger = new Ledger(coverage)
  const clock = { now: () => 0, monotonic: () => 0 }
  const logRejection = vi.fn()
  const isDiskOurs = () => false
  const disk = new Disk(logger)
  const options = { coverage, comparator: client, disk, mirrors, file, logRejection, clock, logger, isDiskOurs }
  const reporter = new CoverageReporter(options)
  // a lost heartbeat is not a lost count
  await reporter.send(undefined, true)
  for (const minute of [1, 1, 2]) ledger.see('v', minute * 60_000, 10)
  await reporter.send()
  expect(said).not.toHaveBeenCalled()
  await reporter.send(undefined, true)
  expect(said.mock.calls).toEqual([[{ seen: 3 }, 'coverage counts are lost: they could be neither sent nor kept']])
})

test('during a long outage each write costs only what changed, and a restart loses nothing', async () => {
  const { comparator, ledger, reporter, file } = await setUp([])
  await comparator.close()
  for (let minute = 0; minute < 2000; minute++) ledger.see('v', minute * 60_000, 10)
  await reporter.send()
  const before = statSync(file)
  ledger.see('v', 7 * 60_000, 10)
  ledger.see('v', 2000 * 60_000, 10)
  await reporter.send()
  const after = statSync(file)
  // the same file, two reports longer
  expect(after.ino).toBe(before.ino)
  expect(after.size - before.size).toBeLessThan((2.1 * before.size) / 2000)

  const back = await fakeComparator(comparator.port)
  const next = new ComparatorClient(back.url, 't')
  onTestFinished(() => next.close())
  const clock = { now: () => 0, monotonic: () => 0 }
  const logger = createLogger('test', 'silent')
  const restored = new Coverage(randomUUIDv7())
  const logRejection = vi.fn()
  const isDiskOurs = () => true
  const options = {
    coverage: restored,
    comparator: next,
    disk: new Disk(logger),
    mirrors: [],
    file,
    logRejection,
    clock,
    logger,
    isDiskOurs,
  }
  await new CoverageReporter(options).send()
  const seen = [...back.coverage.values()].map((report) => report.seen)
  expect([seen.length, seen.reduce((sum, count) => sum + count, 0)]).toEqual([2001, 2002])
  expect(existsSync(file)).toBe(false)
})
