import { execFileSync, spawn } from 'node:child_process'
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { announceRelease, type DirectoryLockedError, lockDirectory } from './directory-lock.ts'

const lockModule = join(import.meta.dirname, 'directory-lock.ts')
const tempDir = () => mkdtempSync(join(tmpdir(), 'directory-lock-'))

/** A process that tries to lock one directory after another, each at a moment that all know, and keeps what it gets. */
const contender = `
  import { lockDirectory } from ${JSON.stringify(lockModule)}
  const [root, count, startsAt] = process.argv.slice(1)
  const got = []
  for (let i = 0; i < Number(count); i++) {
    while (performance.timeOrigin + performance.now() < Number(startsAt) + 2 * i);
    try { await lockDirectory(root + '/' + i); got.push(i) } catch (error) { if (error.name !== 'Error' || !/in use by/.test(error.message)) throw error }
  }
  process.stdout.write(JSON.stringify(got))
  process.stdin.resume().on('end', () => process.exit())`

async function contend(root: string, count: number): Promise<number[][]> {
  const startsAt = Date.now() + 1_500
  const processes = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', contender, root, String(count), String(startsAt)]),
  )
  try {
    return await Promise.all(
      processes.map(
        (child) =>
          new Promise<number[]>((resolve, reject) => {
            let errors = ''
            child.stderr.on('data', (chunk) => (errors += chunk))
            child.stdout.once('data', (text) => resolve(JSON.parse(String(text))))
            child.once('exit', () => reject(new Error(errors)))
          }),
      ),
    )
  } finally {
    for (const child of processes) child.stdin.end()
  }
}

const dead = JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', host: hostname() })
const locks = {
  'nobody had it': undefined,
  'a dead process had it': dead,
  'its lock is cut off': dead.slice(0, 10),
  'its lock is none': 'null',
}

test('of two processes that lock a directory at the same moment one gets it, whoever had it before', async () => {
  const root = tempDir()
  const each = 100
  const directories = Object.entries(locks).flatMap(([name, lock]) =>
    Array.from({ length: each }, () => ({ name, lock })),
  )
  for (const [i, { lock }] of directories.entries()) {
    mkdirSync(join(root, String(i)))
    if (lock !== undefined) writeFileSync(join(root, String(i), 'lock'), lock)
  }
  const got = (await contend(root, directories.length)).flat()
  const shared = got.filter((i, at) => got.indexOf(i) !== at).map((i) => directories[i]!.name)
  expect([got.length, shared]).toEqual([directories.length, []])
  for (const i of directories.keys()) expect(readdirSync(join(root, String(i)))).toEqual(['lock'])
})

test('a lock that cannot be read is reported, and stays', async () => {
  const dir = tempDir()
  mkdirSync(join(dir, 'lock'))
  await expect(lockDirectory(dir)).rejects.toThrow('EISDIR')
  expect(readdirSync(dir)).toEqual(['lock'])
})

test('a lock on a disk that hangs keeps the process from nothing else', async () => {
  const dir = tempDir()
  const lock = join(dir, 'lock')
  // whoever reads it waits for a writer
  execFileSync('mkfifo', [lock])
  const locking = lockDirectory(dir)
  await writeFile(lock, JSON.stringify({ pid: 1, startedAt: '1', host: 'elsewhere' }))
  await expect(locking).rejects.toThrow('in use by process 1 on elsewhere')
})

test('of two calls in one process one gets the directory', async () => {
  const dir = tempDir()
  const both = await Promise.allSettled([lockDirectory(dir), lockDirectory(dir)])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('a released directory can be locked again, once the disk has done so in the background', async () => {
  const dir = tempDir()
  const release = await lockDirectory(dir)
  await expect(lockDirectory(dir)).rejects.toThrow(
    `${dir} is in use by process ${process.pid} on ${hostname()}; stop it`,
  )
  const released = release()
  expect(readdirSync(dir)).toEqual(['lock'])
  await released
  expect(readdirSync(dir)).toEqual([])
  await (await lockDirectory(dir))()
})

test('a lock that another process holds by now is left alone', async () => {
  const dir = tempDir()
  const release = await lockDirectory(dir)
  rmSync(dir, { recursive: true })
  mkdirSync(dir)
  const other = JSON.stringify({ pid: process.ppid, startedAt: undefined, host: hostname() })
  writeFileSync(join(dir, 'lock'), other)
  await release()
  expect(readFileSync(join(dir, 'lock'), 'utf8')).toBe(other)
})

test('an owner that is leaving tells the next process, and nobody after that', async () => {
  const dir = tempDir()
  const passing = () =>
    lockDirectory(dir).then(
      () => 'free',
      (error: DirectoryLockedError) => error.isPassing,
    )
  await announceRelease(dir)
  const release = await lockDirectory(dir)
  expect(await passing()).toBe(false)
  await announceRelease(dir)
  expect(await passing()).toBe(true)
  await expect(lockDirectory(dir)).rejects.toThrow(/in use by process \d+ on .*, which is leaving$/)
  await release()
  expect(readdirSync(dir)).toEqual([])
  // of an owner that has left meanwhile
  writeFileSync(join(dir, 'lock.leaving'), dead)
  onTestFinished(await lockDirectory(dir))
  expect(await passing()).toBe(false)
})

test('a lock on a hanging disk is renewed in the background, one attempt at a time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  // begun and never finished
  const utimes = vi.spyOn(fs, 'utimes').mockImplementation(() => {})
  syncBuiltinESMExports()
  const dir = tempDir()
  const release = await lockDirectory(dir)
  onTestFinished(async () => {
    utimes.mockRestore()
    syncBuiltinESMExports()
    vi.useRealTimers()
    await release()
  })
  vi.advanceTimersByTime(60_000)
  expect(utimes.mock.calls.map(([file]) => file)).toEqual([join(dir, 'lock')])
  // the disk is back but read-only: the next start finds out
  utimes.mock.calls[0]![3](new Error('EROFS'))
  vi.advanceTimersByTime(10_000)
  expect(utimes).toHaveBeenCalledTimes(2)
})
