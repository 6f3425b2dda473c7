import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { announceRelease, lockDirectory } from '../../runtime/directory-lock.ts'
import { createLogger } from '../../runtime/logger.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { adoptSpools, spreadRouting } from './arrange-spools.ts'
import { Spool } from './spool.ts'
import { spoolDirOf } from './spool-dir.ts'

const logger = createLogger('test', 'silent')
const entry = { validation: 'v', minute: 0, sizeClass: 'le1KiB' } as const
const ignore = { found() {}, lost() {}, damaged() {} }

async function spoolWith(dir: string, ...observations: string[]) {
  const spool = new Spool(dir, 1e6, ignore)
  await spool.open()
  await spool.append(observations.map((text) => ({ observation: Buffer.from(text), entry })))
  await spool.close()
}

async function observationsIn(dir: string): Promise<string[]> {
  const spool = new Spool(dir, 1e6, ignore)
  await spool.open()
  while (spool.hasUnread) await spool.readNext()
  const found: string[] = []
  for (let bundle = await spool.oldest(); bundle; bundle = await spool.oldest()) {
    found.push(...bundle.map(({ observation }) => observation.toString()))
    await spool.acknowledge(bundle.length)
  }
  await spool.close()
  return found
}

test('with fewer workers, the first takes over what the others left on disk', async () => {
  const dir = tempDir()
  await spoolWith(dir, 'a', 'b')
  await spoolWith(spoolDirOf(dir, 1), 'c')
  await spoolWith(spoolDirOf(dir, 3), 'd', 'e')
  writeFileSync(join(spoolDirOf(dir, 3), '000000000001.spool.damaged'), 'x')
  writeFileSync(join(dir, 'coverage.json'), '[1]')
  writeFileSync(join(spoolDirOf(dir, 3), 'coverage.json'), '[2]')

  await adoptSpools(dir, 2, logger)
  expect(existsSync(spoolDirOf(dir, 3))).toBe(false)
  expect(readFileSync(join(dir, 'coverage.json'), 'utf8')).toBe('[1]\n[2]')
  expect(readdirSync(dir).filter((name) => name.endsWith('.damaged')).length).toBe(1)
  expect(await observationsIn(dir)).toEqual(['a', 'b', 'd', 'e'])
  expect(await observationsIn(spoolDirOf(dir, 1))).toEqual(['c'])
})

test('every worker begins with the first worker’s last known routing', async () => {
  const dir = tempDir()
  mkdirSync(spoolDirOf(dir, 1))
  writeFileSync(join(dir, 'routing.json'), '{"version":7}')
  writeFileSync(join(spoolDirOf(dir, 1), 'routing.json'), '{"version":3}')
  await spreadRouting(dir, 3, logger)
  for (const number of [1, 2]) {
    expect(readFileSync(join(spoolDirOf(dir, number), 'routing.json'), 'utf8')).toBe('{"version":7}')
  }
})

test('a worker of another mirror on the same spool keeps its routing', async () => {
  const dir = tempDir()
  mkdirSync(spoolDirOf(dir, 1))
  writeFileSync(join(dir, 'routing.json'), '{"version":7}')
  writeFileSync(join(spoolDirOf(dir, 1), 'routing.json'), '{"version":8}')
  onTestFinished(await lockDirectory(spoolDirOf(dir, 1)))
  await spreadRouting(dir, 3, logger)
  const versions = [1, 2].map((number) => readFileSync(join(spoolDirOf(dir, number), 'routing.json'), 'utf8'))
  expect(versions).toEqual(['{"version":8}', '{"version":7}'])
  expect(existsSync(join(spoolDirOf(dir, 2), 'lock'))).toBe(false)
})

test('a spool that another process holds is left alone', async () => {
  const dir = tempDir()
  await spoolWith(spoolDirOf(dir, 1), 'a')
  const unlock = await lockDirectory(spoolDirOf(dir, 1))
  await adoptSpools(dir, 1, logger)
  await unlock()
  expect(await observationsIn(dir)).toEqual([])
  expect(await observationsIn(spoolDirOf(dir, 1))).toEqual(['a'])
})

test('a spool whose process is leaving is tried again', async () => {
  const dir = tempDir()
  await spoolWith(spoolDirOf(dir, 1), 'a')
  const unlock = await lockDirectory(spoolDirOf(dir, 1))
  await announceRelease(spoolDirOf(dir, 1))
  await expect(adoptSpools(dir, 1, logger)).rejects.toThrow('which is leaving')
  await unlock()
  await adoptSpools(dir, 1, logger)
  expect(await observationsIn(dir)).toEqual(['a'])
})

test('without routing on disk nothing is spread', async () => {
  const dir = join(tempDir(), 'none')
  await spreadRouting(dir, 4, logger)
  expect(existsSync(dir)).toBe(false)
})
