import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DirectoryLockedError } from '../../runtime/directory-lock.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { Spool, type SpoolWatch } from './spool.ts'
import type { Item } from './spool-record.ts'

const item = (text: string, validation = 'v'): Item => ({
  observation: Buffer.from(text),
  entry: { validation, minute: 60_000, sizeClass: 'le1KiB' },
})
const items = (count: number, from = 0) => Array.from({ length: count }, (_, i) => item(`observation ${from + i}`))
const segmentsIn = (dir: string) => readdirSync(dir).filter((name) => name.endsWith('.spool'))

/** Puts a directory in the file's place, which opens but cannot be read; returns a function that puts the file back. */
function makeUnreadable(file: string): () => void {
  renameSync(file, `${file}.aside`)
  mkdirSync(file)
  return () => {
    rmdirSync(file)
    renameSync(`${file}.aside`, file)
  }
}

const unwatched: SpoolWatch = { found() {}, lost() {}, damaged() {} }

async function openSpool(dir: string, bytesMax = 1e9, watch: Partial<SpoolWatch> = {}) {
  const spool = new Spool(dir, bytesMax, { ...unwatched, ...watch })
  await openWhole(spool)
  onTestFinished(() => spool.close())
  return spool
}

async function openWhole(spool: Spool): Promise<void> {
  await spool.open()
  while (spool.hasUnread) await spool.readNext()
}

async function drain(spool: Spool): Promise<string[]> {
  const texts: string[] = []
  for (;;) {
    const bundle = await spool.oldest()
    if (!bundle) return texts
    texts.push(...bundle.map(({ observation }) => observation.toString()))
    await spool.acknowledge(bundle.length)
  }
}

/** CPU time in µs: of the longest turn of the event loop, and in total. */
async function turnsDuring(work: () => Promise<unknown>): Promise<{ longest: number; all: number }> {
  const now = () => process.threadCpuUsage().user
  const from = now()
  let last = from
  let longest = 0
  const note = () => {
    longest = Math.max(longest, now() - last)
    last = now()
  }
  let next = setImmediate(function turn() {
    note()
    next = setImmediate(turn)
  })
  await work()
  note()
  clearImmediate(next)
  return { longest, all: last - from }
}

test.runIf(process.platform === 'linux')(
  'a place where nothing can be created is reported, and not retried for ever',
  async () => {
    const spool = new Spool('/proc/understudy', 1e9, unwatched)
    await expect(spool.open()).rejects.toThrow("mkdir '/proc/understudy'")
  },
)

describe('the spool', () => {
  test('returns what it was given, oldest first, and leaves nothing on disk', async () => {
    const dir = tempDir()
    const spool = await openSpool(dir)
    await spool.append(items(10))
    await spool.append([...items(10, 10), item('other', 'w')])
    expect(spool.counts()).toEqual(new Map(Object.entries({ v: 20, w: 1 })))
    const bundle = await spool.oldest()
    expect(bundle![3]).toEqual(item('observation 3'))
    await spool.append(items(1, 99))
    expect(await drain(spool)).toEqual(
      [...items(20), item('other'), ...items(1, 99)].map(({ observation }) => `${observation}`),
    )
    expect([spool.isEmpty, spool.bytes, segmentsIn(dir)]).toEqual([true, 0, []])
  })

  test('returns a mebibyte at once, or 256 observations', async () => {
    const spool = await openSpool(tempDir())
    const lengths = async () => {
      const bundle = await spool.oldest()
      await spool.acknowledge(bundle!.length)
      return bundle!.length
    }
    await spool.append(Array.from({ length: 12 }, () => item('x'.repeat(100 * 1024))))
    expect([await lengths(), await lengths()]).toEqual([10, 2])
    await spool.append(items(300))
    expect([await lengths(), await lengths()]).toEqual([256, 44])
    await spool.append([item('x'.repeat(2 * 1024 * 1024)), item('next')])
    expect([await lengths(), await lengths()]).toEqual([1, 1])
  })

  test('is readable by its owner alone: it holds bodies as they came', async () => {
    const dir = join(tempDir(), 'new', 'spool')
    const spool = await openSpool(dir)
    await spool.append(items(1))
    const modes = [dir, join(dir, segmentsIn(dir)[0]!)].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
  })

  test('returns the same observations until they are acknowledged', async () => {
    const dir = tempDir()
    const spool = await openSpool(dir)
    await spool.append(items(5))
    expect(await spool.oldest()).toEqual(await spool.oldest())
    await spool.acknowledge(2)
    expect((await spool.oldest())!.map(({ observation }) => `${observation}`)).toEqual(
      [2, 3, 4].map((i) => `observation ${i}`),
    )
    // the next mirror must not deliver them again
    await spool.acknowledge(3)
    expect(segmentsIn(dir)).toEqual([])
  })

  test('is there after a restart', async () => {
    const dir = tempDir()
    const before = await openSpool(dir)
    await before.append(items(5))
    await before.close()
    const after = await openSpool(dir)
    expect([after.counts(), after.damagedCount]).toEqual([new Map([['v', 5]]), 0])
    // once more, as by a retry that comes after it was opened in another way
    await openWhole(after)
    await after.append(items(5, 5))
    expect((await drain(after)).length).toBe(10)
  })

  test('ends a torn segment at its last complete record, wherever it was cut', async () => {
    const dir = tempDir()
    const before = await openSpool(dir)
    await before.append(items(3))
    await before.close()
    const [name] = segmentsIn(dir)
    const whole = readFileSync(join(dir, name!))
    const recordBytes = whole.length / 3
    for (let length = whole.length - 1; length >= 0; length -= 7) {
      writeFileSync(join(dir, name!), whole.subarray(0, length))
      const after = new Spool(dir, 1e9, unwatched)
      await openWhole(after)
      expect(after.counts().get('v') ?? 0).toBe(Math.floor(length / recordBytes))
      await after.close()
    }
  })

  test('does not accept a damaged record', async () => {
    const dir = tempDir()
    const before = await openSpool(dir)
    await before.append(items(3))
    await before.close()
    const file = join(dir, segmentsIn(dir)[0]!)
    const bytes = readFileSync(file)
    bytes[bytes.length - 3]! ^= 1
    writeFileSync(file, bytes)
    const damaged: [string, number][] = []
    const spool = await openSpool(dir, 1e9, { damaged: (...args) => damaged.push(args) })
    expect([damaged, spool.damagedCount]).toEqual([[[file, (bytes.length / 3) * 2]], 1])
    expect(await drain(spool)).toEqual(['observation 0', 'observation 1'])
    expect([spool.isEmpty, segmentsIn(dir)]).toEqual([true, []])
    expect(readFileSync(`${file}.damaged`).equals(bytes)).toBe(true)
  })

  test('keeps damaged segments as long as they leave room for intact ones', async () => {
    const dir = tempDir()
    for (const name of ['000000000001', '000000000002']) writeFileSync(join(dir, `${name}.spool`), Buffer.alloc(400, 1))
    const spool = await openSpool(dir, 1000)
    const kept = () => readdirSync(dir).filter((name) => name.endsWith('.damaged'))
    expect([kept().length, spool.isEmpty, spool.damagedCount, spool.bytes]).toEqual([2, true, 2, 800])
    await spool.append(items(4))
    expect(kept()).toEqual(['000000000002.spool.damaged'])
    expect(spool.bytes).toBeLessThanOrEqual(1000)
    await spool.close()
    const after = await openSpool(dir, 500)
    expect([kept(), after.counts().get('v')]).toEqual([[], 4])
  })

  test('numbers new segments after damaged ones, so that none overwrites another', async () => {
    const dir = tempDir()
    writeFileSync(join(dir, '000000000007.spool.damaged'), 'damaged')
    const spool = await openSpool(dir)
    await spool.append(items(1))
    expect(segmentsIn(dir)).toEqual(['000000000008.spool'])
  })

  test('leaves a deleted directory to the mirror that has taken it since', async () => {
    const dir = tempDir()
    const spool = await openSpool(dir)
    await spool.append(items(1))
    rmSync(dir, { recursive: true })
    mkdirSync(dir)
    writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: 1, host: 'elsewhere' }))
    expect(await spool.append(items(1))).toEqual({ kept: 0, error: expect.any(DirectoryLockedError) })
    expect(readdirSync(dir)).toEqual(['lock'])
    rmSync(join(dir, 'lock'))
    expect(await spool.append(items(1))).toEqual({ kept: 1 })
  })

  test('recreates its directory if someone deleted it, and counts what was in it', async () => {
    const dir = join(tempDir(), 'spool')
    const lost: [string, number][] = []
    const spool = await openSpool(dir, 1e9, { lost: (...args) => lost.push(args) })
    await spool.append(items(3))
    rmSync(dir, { recursive: true })
    expect(await spool.append(items(2, 3))).toEqual({ kept: 2 })
    expect(await drain(spool)).toEqual(['observation 3', 'observation 4'])
    expect(lost).toEqual([['v', 3]])
    await expect(new Spool(dir, 1e9, unwatched).open()).rejects.toThrow(/is in use by process/)
  })

  test('keeps what fits when it is full, and takes more once something was delivered', async () => {
    const spool = await openSpool(tempDir(), 1000)
    const { kept, error } = await spool.append(items(100))
    expect(error).toBeUndefined()
    expect(kept).toBeGreaterThan(5)
    expect(kept).toBeLessThan(20)
    expect(spool.bytes).toBeLessThanOrEqual(1000)
    expect((await spool.append(items(100))).kept).toBe(0)
    expect((await drain(spool)).length).toBe(kept)
    expect((await spool.append(items(2))).kept).toBe(2)
  })

  test('reports a failing disk, and works again when the disk does', async () => {
    const dir = join(tempDir(), 'spool')
    writeFileSync(dir, 'a file where the directory should be')
    const spool = new Spool(dir, 1e9, unwatched)
    onTestFinished(() => spool.close())
    await expect(spool.open()).rejects.toThrow()
    expect(await spool.append(items(2))).toMatchObject({ kept: 0, error: { code: 'EEXIST' } })
    rmSync(dir)
    expect(await spool.append(items(2))).toEqual({ kept: 2 })
    expect((await drain(spool)).length).toBe(2)
  })

  test('counts what it can no longer read, and keeps the damaged segment', async () => {
    const dir = tempDir()
    const lost: [string, number][] = []
    const damaged: [string, number][] = []
    const watch = {
      lost: (...args: [string, number]) => lost.push(args),
      damaged: (...args: [string, number]) => damaged.push(args),
    }
    const spool = await openSpool(dir, 1e9, watch)
    await spool.append(items(3))
    const file = join(dir, segmentsIn(dir)[0]!)
    truncateSync(file, 10)
    expect(await drain(spool)).toEqual([])
    expect([lost, damaged]).toEqual([[['v', 3]], [[file, 0]]])
    expect([spool.isEmpty, statSync(`${file}.damaged`).size]).toEqual([true, 10])
  })

  test('keeps a segment that can’t be read now, returns later ones first, and that one once it can be read', async () => {
    const dir = tempDir()
    const before = await openSpool(dir)
    await before.append(items(3))
    await before.close()
    const lost: unknown[] = []
    const spool = await openSpool(dir, 1e9, { lost: (...args) => lost.push(args) })
    await spool.append(items(2, 3))
    const mend = makeUnreadable(join(dir, segmentsIn(dir)[0]!))
    const bundle = await spool.oldest()
    expect(bundle!.map(({ observation }) => `${observation}`)).toEqual(['observation 3', 'observation 4'])
    await spool.acknowledge(2)
    await expect(spool.oldest()).rejects.toMatchObject({ code: 'EISDIR' })
    expect([spool.isEmpty, spool.counts().get('v')]).toEqual([false, 3])
    mend()
    expect(await drain(spool)).toEqual(['observation 0', 'observation 1', 'observation 2'])
    expect([lost, spool.isEmpty]).toEqual([[], true])
  })

  test('is opened later, with all its content, if it can’t be locked or read at first', async () => {
    const dir = tempDir()
    const before = await openSpool(dir)
    await before.append(items(3))
    await before.close()
    const found: [string, number][] = []
    const spool = new Spool(dir, 1000, { ...unwatched, found: (...args) => found.push(args) })
    onTestFinished(() => spool.close())
    // as on a failing disk, the lock cannot be taken
    const inItsPlace = join(dir, 'lock')
    mkdirSync(inItsPlace)
    await expect(spool.open()).rejects.toMatchObject({ code: 'EISDIR' })
    expect(await spool.append(items(1, 3))).toMatchObject({ kept: 0, error: { code: 'EISDIR' } })
    rmdirSync(inItsPlace)
    const mend = makeUnreadable(join(dir, segmentsIn(dir)[0]!))
    await spool.open()
    expect([spool.isSound, spool.hasUnread]).toEqual([true, true])
    await expect(spool.readNext()).rejects.toMatchObject({ code: 'EISDIR' })
    await expect(spool.open()).rejects.toMatchObject({ code: 'EISDIR' })
    expect([spool.isSound, spool.hasUnread, spool.isEmpty, found]).toEqual([false, false, true, []])
    mend()
    await spool.open()
    expect([spool.isSound, spool.isEmpty, found]).toEqual([true, false, [['v', 3]]])
    await spool.append(items(1, 3))
    expect((await drain(spool)).length).toBe(4)
  })

  test('takes new observations while it is being read, within its limit, and returns them after the old ones', async () => {
    const dir = tempDir()
    for (let i = 0; i < 3; i++) {
      const before = await openSpool(dir)
      await before.append(items(2, 2 * i))
      await before.close()
    }
    const found: number[] = []
    const onDisk = segmentsIn(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
    const recordBytes = onDisk / 6
    const spool = new Spool(dir, onDisk + 2.5 * recordBytes, { ...unwatched, found: (_, count) => found.push(count) })
    onTestFinished(() => spool.close())
    await spool.open()
    expect([spool.bytes, spool.isEmpty, found]).toEqual([onDisk, false, []])
    await spool.readNext()
    expect(await spool.append(items(3, 6))).toEqual({ kept: 2 })
    expect(found).toEqual([2])
    while (spool.hasUnread) await spool.readNext()
    expect(await spool.append(items(1, 8))).toEqual({ kept: 0 })
    expect(found).toEqual([2, 2, 2])
    expect(await drain(spool)).toEqual(items(8).map(({ observation }) => `${observation}`))
  })

  test('is read over many turns of the event loop, so that live requests are served in between', async () => {
    const dir = tempDir()
    const before = await openSpool(dir)
    await before.append([...items(20_000), item('x'.repeat(1_000_000))])
    await before.close()
    const shares: Record<string, number[]> = { readNext: [], oldest: [] }
    // the least of three, because a turn may contain a garbage collection
    for (let i = 0; i < 3; i++) {
      const spool = new Spool(dir, 1e9, unwatched)
      await spool.open()
      for (const read of ['readNext', 'oldest'] as const) {
        const { longest, all } = await turnsDuring(() => spool[read]())
        shares[read]!.push(longest / all)
      }
      expect(spool.counts().get('v')).toBe(20_001)
      await spool.close()
    }
    for (const least of Object.values(shares).map((of) => Math.min(...of))) expect(least).toBeLessThan(1 / 3)
  })

  test('ignores files that are not its own, even if they vanish', async () => {
    const dir = tempDir()
    appendFileSync(join(dir, 'routing.json'), '{}')
    symlinkSync('/nowhere', join(dir, 'notes'))
    expect((await openSpool(dir)).isEmpty).toBe(true)
  })

  test('belongs to one mirror alone, and a dead mirror’s is taken over', async () => {
    const dir = tempDir()
    const first = await openSpool(dir)
    await expect(new Spool(dir, 1e9, unwatched).open()).rejects.toThrow(/is in use by process/)
    await first.close()
    writeFileSync(
      join(dir, 'lock'),
      JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', host: (await import('node:os')).hostname() }),
    )
    await (await openSpool(dir)).close()
    // a reused pid is another process: it started at another time
    writeFileSync(
      join(dir, 'lock'),
      JSON.stringify({ pid: process.ppid, startedAt: '1', host: (await import('node:os')).hostname() }),
    )
    await (await openSpool(dir)).close()
    writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: 1, startedAt: '1', host: 'elsewhere' }))
    await expect(new Spool(dir, 1e9, unwatched).open()).rejects.toThrow(/on elsewhere/)
  })
})
