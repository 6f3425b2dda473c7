import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CoverageReport } from '../../vocabulary/coverage.ts'
import { Coverage } from '../ledger/coverage.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { CoverageFile } from './coverage-file.ts'

const minuteMs = 60_000

function setUp() {
  const file = join(tempDir(), 'coverage.json')
  const coverage = new Coverage('boot')
  const see = (minute: number, validation = 'v') =>
    coverage.see({ validation, minute: minute * minuteMs, sizeClass: 'le1KiB' })
  return { file, coverage, see, kept: new CoverageFile(file) }
}

const reportsOf = (coverage: Coverage): CoverageReport[] => coverage.unsent().map(({ report }) => report)

/** What a process that starts now would restore. */
async function restored(file: string): Promise<CoverageReport[]> {
  const coverage = new Coverage('next boot')
  await new CoverageFile(file).restoreTo(coverage)
  return reportsOf(coverage)
}

test('the file holds what is unsent, whatever is seen and sent in between', async () => {
  const { file, coverage, see, kept } = setUp()
  for (let turn = 0; turn < 60; turn++) {
    for (let i = 0; i < 20; i++) see(turn + ((i * 7) % 3), `v${i % 4}`)
    if (turn % 5 === 4) coverage.take(30).acknowledge(turn % 2 === 0)
    await kept.keep(coverage)
    const there = new Map((await restored(file)).map((report) => [`${report.minute} ${report.validation}`, report]))
    for (const report of reportsOf(coverage)) {
      expect(there.get(`${report.minute} ${report.validation}`)).toEqual(report)
    }
  }
  coverage.take(1e6).acknowledge(true)
  await kept.keep(coverage)
  expect([kept.isThere, await restored(file)]).toEqual([false, []])
})

test('what is being sent stays in the file until it has arrived', async () => {
  const { file, coverage, see, kept } = setUp()
  see(1)
  await kept.keep(coverage)
  const { reports, acknowledge } = coverage.take(10)
  await kept.keep(coverage)
  expect(await restored(file)).toEqual(reports)
  acknowledge(true)
  await kept.keep(coverage)
  expect(await restored(file)).toEqual([])
})

test('a file that is mostly out of date is rewritten', async () => {
  const { file, coverage, see, kept } = setUp()
  const sizes: number[] = []
  for (let turn = 0; turn < 60; turn++) {
    for (let minute = 0; minute < 500; minute++) see(minute)
    await kept.keep(coverage)
    sizes.push(statSync(file).size)
  }
  const shrunk = sizes.filter((size, i) => size < (sizes[i - 1] ?? 0)).length
  expect([shrunk, Math.max(...sizes) < 25 * sizes[0]!]).toEqual([2, true])
  expect(await restored(file)).toEqual(reportsOf(coverage))
})

test('a truncated line loses only its own content, and that is reported', async () => {
  const { file, coverage, see, kept } = setUp()
  see(1)
  await kept.keep(coverage)
  see(2)
  await kept.keep(coverage)
  truncateSync(file, statSync(file).size - 5)
  const after = new Coverage('next boot')
  await expect(new CoverageFile(file).restoreTo(after)).rejects.toThrow(SyntaxError)
  expect(reportsOf(after)).toEqual(reportsOf(coverage).slice(0, 1))
  appendFileSync(file, '\n[{"seen":1}]\n')
  await expect(new CoverageFile(file).restoreTo(after)).rejects.toThrow('not coverage reports')
})

test('a file that someone deleted is written whole again', async () => {
  const { file, coverage, see, kept } = setUp()
  see(1)
  await kept.keep(coverage)
  rmSync(file)
  see(2)
  await expect(kept.keep(coverage)).rejects.toMatchObject({ code: 'ENOENT' })
  await kept.keep(coverage)
  expect(await restored(file)).toEqual(reportsOf(coverage))
  rmSync(file)
  coverage.take(10).acknowledge(true)
  await kept.keep(coverage)
  expect(kept.isThere).toBe(false)
})

test('a file that cannot be read is not taken for a missing one', async () => {
  const { file } = setUp()
  mkdirSync(file)
  await expect(restored(file)).rejects.toMatchObject({ code: 'EISDIR' })
})
