import { readFileSync, utimes } from 'node:fs'
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

const heartbeatMs = 10_000
const staleMs = 60_000

interface Owner {
  pid: number
  /** Clock ticks from boot to the start of the process: pids are reused, in containers almost always. */
  startedAt: string | undefined
  host: string
}

/** Locks that this process holds, by file. */
const held = new Map<string, Owner>()
let lastTry: Promise<unknown> = Promise.resolve()

/**
 * Another process holds the directory, or may hold it: an owner on another host can be judged only by the age of its
 * lock.
 */
export class DirectoryLockedError extends Error {
  /** The owner is leaving or may be gone already: try again. */
  readonly isPassing: boolean

  constructor(message: string, isPassing: boolean) {
    super(message)
    this.isPassing = isPassing
  }
}

/**
 * Keeps a second process out of a directory. A dead owner's lock is taken over: on the same host after a look at the
 * process, on another host (a shared volume) once the lock was not renewed for a minute.
 *
 * Resolves with the release. Rejects with a `DirectoryLockedError` that names the owner, or with the system's error if
 * the disk fails. All in the background: a process whose disk hangs must still serve clients and handle signals.
 */
export function lockDirectory(dir: string): Promise<() => Promise<void>> {
  // one at a time: a lock that this process is still taking would look like that of an earlier process with its pid
  const locking = lastTry.then(() => tryToLock(dir))
  lastTry = locking.catch(() => {})
  return locking
}

async function tryToLock(dir: string): Promise<() => Promise<void>> {
  const file = resolve(dir, 'lock')
  const self = selfNow()
  // the pid alone would not do: containers that share a volume often have the same
  const draft = `${file}.${self.host}.${self.pid}`
  await writeFile(draft, JSON.stringify(self))
  try {
    // another process that starts now may be first: then its lock must be judged
    do await assertUnlocked(dir, file, self)
    while (!(await claim(draft, file)))
  } finally {
    await rm(draft, { force: true })
  }
  held.set(file, self)
  let isRenewing = false
  const heartbeat = setInterval(() => {
    if (isRenewing) return
    isRenewing = true
    // one that is gone or read-only is found by the next start
    utimes(file, new Date(), new Date(), () => {
      isRenewing = false
    })
  }, heartbeatMs)
  heartbeat.unref()
  return async () => {
    clearInterval(heartbeat)
    try {
      // someone may have deleted the directory, and another process may have locked it since
      const isOurs = (await readFile(file, 'utf8').catch(() => '')) === JSON.stringify(self)
      if (!isOurs) return
      await rm(file, { force: true })
      // after the lock, so that whoever finds the lock also finds this file
      await rm(leavingFile(file), { force: true })
    } finally {
      if (held.get(file) === self) held.delete(file)
    }
  }
}

/**
 * Notes beside our lock that we are leaving, for the process that would take the directory next. A note that comes late
 * lies beside another process's lock and does not apply to it. Never rejects.
 */
export async function announceRelease(dir: string): Promise<void> {
  const file = resolve(dir, 'lock')
  if (held.has(file)) await writeFile(leavingFile(file), JSON.stringify(selfNow())).catch(() => {})
}

/**
 * Whether our lock is still there. Someone may have deleted the directory, or we may have been held up for so long that
 * another host took it over; in both cases another process may have it by now. Rejects with the system's error.
 */
export async function holdsDirectory(dir: string): Promise<boolean> {
  const file = resolve(dir, 'lock')
  try {
    return (await readFile(file, 'utf8')) === JSON.stringify(held.get(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

const leavingFile = (file: string) => `${file}.leaving`
const selfNow = (): Owner => ({ pid: process.pid, startedAt: startOf(process.pid), host: hostname() })

/** Rejects if the owner is alive; removes a dead owner's lock. */
async function assertUnlocked(dir: string, file: string, self: Owner): Promise<void> {
  const owner = await readOwner(file)
  if (!owner) return
  if (await isAlive(owner, file, self)) {
    const mayBeStale = owner.host !== self.host
    const isLeaving = isDeepStrictEqual(await readOwner(leavingFile(file)), owner)
    const advice = `${mayBeStale ? ', or was a minute ago' : ''}; stop it or name another`
    throw new DirectoryLockedError(
      `${dir} is in use by process ${owner.pid} on ${owner.host}${isLeaving ? ', which is leaving' : advice}`,
      mayBeStale || isLeaving,
    )
  }
  await takeAway(file, owner, self)
}

/**
 * Of several processes that find the same dead owner, only one removes its lock; for the others it is gone or already
 * another's.
 */
async function takeAway(file: string, dead: Owner, self: Owner): Promise<void> {
  const taken = `${file}.dead.${self.host}.${self.pid}`
  try {
    await rename(file, taken)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (!isDeepStrictEqual(await readOwner(taken), dead)) await claim(taken, file)
  await rm(taken, { force: true })
}

/**
 * Tries to take the lock; returns whether it is ours. A link appears whole or, if there is a lock already, not at all.
 */
async function claim(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // not every file system supports links
    await rename(draft, file)
  }
  return true
}

/** Undefined if there is no lock; an incomplete or invalid lock has an owner that is dead. */
async function readOwner(file: string): Promise<Owner | undefined> {
  const nobody: Owner = { pid: 0, startedAt: undefined, host: hostname() }
  try {
    return { ...nobody, ...(JSON.parse(await readFile(file, 'utf8')) as Partial<Owner> | null) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (error instanceof SyntaxError) return nobody
    throw error
  }
}

async function isAlive(owner: Owner, file: string, self: Owner): Promise<boolean> {
  if (owner.host !== self.host) {
    const found = await stat(file, { throwIfNoEntry: false })
    return Date.now() - (found?.mtimeMs ?? 0) < staleMs
  }
  if (owner.pid === self.pid && owner.startedAt === self.startedAt) return held.has(file)
  if (owner.pid <= 0) return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return owner.startedAt === startOf(owner.pid)
}

/** Field 22 of /proc/PID/stat, counted from the bracket that closes the command; undefined without /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
