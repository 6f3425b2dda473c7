import { linkSync, readFileSync, renameSync, rmSync, statSync, utimes, writeFile, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

const heartbeatMs = 10_000
const staleMs = 60_000

interface Owner {
  pid: number
  /** Clock ticks from boot to the process's start: a pid alone comes back, in a container almost always. */
  startedAt: string | undefined
  host: string
}

/** By the lock's file. */
const held = new Map<string, Owner>()

/** Another process holds the directory, or may: what runs on another host is told only by its lock's age. */
export class DirectoryLockedError extends Error {
  /** Who holds it may be gone already, or is on its way out: to be tried again. */
  readonly isPassing: boolean

  constructor(message: string, isPassing: boolean) {
    super(message)
    this.isPassing = isPassing
  }
}

/**
 * Keeps a second process out of a directory. A dead owner's lock is taken over: on the same host by looking at the
 * process, on another (a shared volume) once it has not been renewed for a minute. Returns the release, which
 * works in the background: a process whose disk hangs must hear signals all the same. Throws a `DirectoryLockedError` that
 * names the owner, or the system's error where the disk fails.
 */
export function lockDirectory(dir: string): () => Promise<void> {
  const file = resolve(dir, 'lock')
  const self = selfNow()
  // not by its pid alone: in containers that share a volume it is the same
  const draft = `${file}.${self.host}.${self.pid}`
  writeFileSync(draft, JSON.stringify(self))
  try {
    // whoever else starts at this moment may be first: then its lock is the one to judge
    do assertUnlocked(dir, file, self)
    while (!claim(draft, file))
  } finally {
    rmSync(draft, { force: true })
  }
  held.set(file, self)
  let isRenewing = false
  const heartbeat = setInterval(() => {
    if (isRenewing) return
    isRenewing = true
    // in the background: a disk that hangs would hang all else with it. One that is gone or read-only the next start finds
    utimes(file, new Date(), new Date(), () => {
      isRenewing = false
    })
  }, heartbeatMs)
  heartbeat.unref()
  return async () => {
    clearInterval(heartbeat)
    try {
      // someone may have deleted the directory, and another process have it by now
      const isOurs = (await readFile(file, 'utf8').catch(() => '')) === JSON.stringify(self)
      if (!isOurs) return
      await rm(file, { force: true })
      // after the lock, so that whoever finds that one finds this
      await rm(leavingFile(file), { force: true })
    } finally {
      if (held.get(file) === self) held.delete(file)
    }
  }
}

/**
 * Says beside our lock that we are on our way out, for who would take the directory next. In the background, since a disk
 * may hang; one that comes late stands beside another's lock, and says nothing of that.
 */
export function announceRelease(dir: string): void {
  const file = resolve(dir, 'lock')
  if (held.has(file)) writeFile(leavingFile(file), JSON.stringify(selfNow()), () => {})
}

const leavingFile = (file: string) => `${file}.leaving`
const selfNow = (): Owner => ({ pid: process.pid, startedAt: startOf(process.pid), host: hostname() })

/** Throws for an owner that is alive, and takes a dead one's lock away. */
function assertUnlocked(dir: string, file: string, self: Owner): void {
  const owner = readOwner(file)
  if (!owner) return
  if (isAlive(owner, file, self)) {
    const mayBeStale = owner.host !== self.host
    const isLeaving = isDeepStrictEqual(readOwner(leavingFile(file)), owner)
    const advice = `${mayBeStale ? ', or was a minute ago' : ''}; stop it or name another`
    throw new DirectoryLockedError(
      `${dir} is in use by process ${owner.pid} on ${owner.host}${isLeaving ? ', which is leaving' : advice}`,
      mayBeStale || isLeaving,
    )
  }
  takeAway(file, owner, self)
}

/** Of several that found the same dead owner one takes its lock; to the others it is gone, or another's by now. */
function takeAway(file: string, dead: Owner, self: Owner): void {
  const taken = `${file}.dead.${self.host}.${self.pid}`
  try {
    renameSync(file, taken)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (!isDeepStrictEqual(readOwner(taken), dead)) claim(taken, file)
  rmSync(taken, { force: true })
}

/** Whether the lock is ours now: a link appears whole or, where there is a lock already, not at all. */
function claim(draft: string, file: string): boolean {
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // not every file system has links
    renameSync(draft, file)
  }
  return true
}

/** `undefined` where there is no lock; of one that is cut off or no lock at all, nobody. */
function readOwner(file: string): Owner | undefined {
  const nobody: Owner = { pid: 0, startedAt: undefined, host: hostname() }
  try {
    return { ...nobody, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner> | null) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (error instanceof SyntaxError) return nobody
    throw error
  }
}

function isAlive(owner: Owner, file: string, self: Owner): boolean {
  if (owner.host !== self.host) return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < staleMs
  if (owner.pid === self.pid && owner.startedAt === self.startedAt) return held.has(file)
  if (owner.pid <= 0) return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return owner.startedAt === startOf(owner.pid)
}

/** Field 22 of /proc/PID/stat, counted behind the command's closing bracket; undefined where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
