import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { lockDirectory } from '../../runtime/directory-lock.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { Disk } from '../disk.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { DiskQueue } from './disk-queue.ts'
import { Spool } from './spool.ts'
import type { Item } from './spool-record.ts'

class WatchedSpool extends Spool {
  readonly writes: { at: number; items: number }[] = []

  override append(items: readonly Item[]): ReturnType<Spool['append']> {
    this.writes.push({ at: performance.now(), items: items.length })
    return super.append(items)
  }
}

const items = (count: number, from = 0): Item[] =>
  Array.from({ length: count }, (_, i) => ({
    observation: Buffer.alloc(100_000, from + i),
    entry: { validation: 'v', minute: 60_000, sizeClass: 'le100KiB' },
  }))
const unaborted = new AbortController().signal
const namesOf = (some: readonly Item[]) => some.map(({ observation }) => observation[0])

/** With a disk that fails until `mend`. */
function onFailingDisk() {
  const dir = join(tempDir(), 'spool')
  writeFileSync(dir, 'a file where the directory should be')
  return { ...onDisk(dir), mend: () => rmSync(dir) }
}

function onDisk(dir: string) {
  const { logger, lines } = loggerUnderTest()
  const spool = new WatchedSpool(dir, 1e9, { found() {}, lost() {}, damaged() {} })
  const kept: Item[] = []
  const shed: Item[] = []
  const queue = new DiskQueue({
    disk: new Disk(logger),
    spool,
    logger,
    kept: (some) => kept.push(...some),
    opened() {},
    shed: (some) => shed.push(...some),
  })
  onTestFinished(async () => {
    await queue.close()
    await spool.close()
  })
  return { queue, spool, kept, shed, lines }
}

test('a failing disk is tried with one bundle a second, whatever arrives; then it gets everything, oldest first', async () => {
  const { queue, spool, kept, mend } = onFailingDisk()
  queue.add(items(10))
  await queue.oldest(unaborted) // which comes after the write
  expect(queue.isFailing).toBe(true)
  for (let i = 10; i < 30; i++) queue.add(items(1, i))
  await waitFor('another try', () => spool.writes.length > 1)
  expect(spool.writes.map((write) => write.items)).toEqual([2, 2])
  expect(spool.writes[1]!.at - spool.writes[0]!.at).toBeGreaterThan(900)
  expect(kept).toEqual([])
  mend()
  await waitFor('everything on disk', () => kept.length === 30)
  expect(namesOf(kept)).toEqual(Array.from({ length: 30 }, (_, i) => i))
  expect([queue.isFailing, spool.isEmpty]).toEqual([false, false])
})

test('a bundle delivered elsewhere while the disk failed does not keep later ones from being tried', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { queue, mend } = onFailingDisk()
  queue.add(items(2))
  await queue.oldest(unaborted) // which comes after the write
  expect([queue.isFailing, namesOf(queue.takeStranded())]).toEqual([true, [0, 1]])
  vi.advanceTimersByTime(1000)
  expect(queue.isEmpty).toBe(true)
  mend()
  queue.add(items(1, 2))
  expect(namesOf((await queue.oldest(unaborted))!)).toEqual([2])
  expect(queue.isFailing).toBe(false)
})

test('a bundle that nobody took is tried in its turn again, before later ones', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { queue, spool, kept, mend } = onFailingDisk()
  queue.add(items(4))
  await queue.oldest(unaborted) // which comes after the write
  queue.putBack(queue.takeStranded())
  await queue.oldest(unaborted)
  expect(spool.writes).toHaveLength(1)
  mend()
  vi.advanceTimersByTime(1000)
  await waitFor('everything on disk', () => kept.length === 4)
  expect(namesOf(kept)).toEqual([0, 1, 2, 3])
  // a disk that works need not be waited for
  queue.putBack(items(1, 4))
  await waitFor('one more on disk', () => kept.length === 5)
})

test('a disk that works again is noticed even if nothing is left to write', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { queue, spool, mend } = onFailingDisk()
  queue.add(items(2))
  await queue.oldest(unaborted) // which comes after the write
  expect(queue.takeStranded()).toHaveLength(2)
  vi.advanceTimersByTime(1000)
  await queue.oldest(unaborted) // and after the probe
  expect(queue.isFailing).toBe(true)
  mend()
  vi.advanceTimersByTime(1000)
  await queue.oldest(unaborted)
  expect([queue.isFailing, queue.isEmpty, spool.bytes]).toEqual([false, true, 0])
})

test('a spool that another process will soon release is a warning; a disk that then fails is an error', async () => {
  const dir = tempDir()
  const elsewhere = { pid: 1, startedAt: '1', host: 'elsewhere' }
  writeFileSync(join(dir, 'lock'), JSON.stringify(elsewhere))
  const { queue, lines } = onDisk(dir)
  queue.add(items(1))
  await waitFor('a word of it', () => lines.length > 0)
  expect(lines).toMatchObject([
    { level: 'warn', reason: expect.stringContaining('is in use by process 1 on elsewhere') },
  ])
  rmSync(dir, { recursive: true })
  writeFileSync(dir, 'a file where the directory should be')
  await waitFor('another word', () => lines.length > 1)
  expect(lines[1]).toMatchObject({ level: 'error', err: { code: 'EEXIST' } })
  rmSync(dir)
  await waitFor('its end', () => lines.some(({ msg }) => msg === 'the spool can be written again'))
})

test('a spool held by a live mirror on this host is an error', async () => {
  const dir = tempDir()
  onTestFinished(await lockDirectory(dir))
  const { queue, lines } = onDisk(dir)
  queue.add(items(1))
  await waitFor('a word of it', () => lines.length > 0)
  expect(lines).toMatchObject([
    { level: 'error', err: { message: expect.stringContaining('stop it or name another') } },
  ])
})

test('a disk that works takes all that waits at the end, and the log has no word of it', async () => {
  const { queue, kept, shed, lines } = onDisk(tempDir())
  queue.add(items(10))
  await queue.close()
  expect([namesOf(kept), shed, lines]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [], []])
})

test('what a failing disk does not take at the end is shed, and the log says how much', async () => {
  const { queue, kept, shed, lines } = onFailingDisk()
  queue.add(items(5))
  await queue.close()
  expect([kept, namesOf(shed)]).toEqual([[], [0, 1, 2, 3, 4]])
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    observations: 5,
    msg: 'observations are lost: they could be neither delivered nor kept',
  })
})
