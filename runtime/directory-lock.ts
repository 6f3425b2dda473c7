import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'

const heartbeatMs = 10_000
const staleMs = 60_000

interface Owner {
  pid: number
  /** Clock ticks from boot to the process's start: a pid alone comes back, in a container almost always. */
  startedAt: string | undefined
  host: string
}

const held = new Set<string>()

/** Another process holds the directory, or may: what runs on another host is told only by its lock's age. */
export class DirectoryLockedError extends Error {
  readonly mayBeStale: boolean

  constructor(message: string, mayBeStale: boolean) {
    super(message)
    this.mayBeStale = mayBeStale
  }
}

/**
 * Keeps a second process out of a directory. A dead owner's lock is taken over: on the same host by looking at the
 * process, on another (a shared volume) once it has not been renewed for a minute. Returns the release. Throws a
 * `DirectoryLockedError` that names the owner, or the system's error where the disk fails.
 */
export function lockDirectory(dir: string): () => void {
  const file = resolve(dir, 'lock')
  const self: Owner = { pid: process.pid, startedAt: startOf(process.pid), host: hostname() }
  const owner = readOwner(file)
  if (owner && isAlive(owner, file, self)) {
    const mayBeStale = owner.host !== self.host
    const since = mayBeStale ? ', or was a minute ago' : ''
    throw new DirectoryLockedError(
      `${dir} is in use by process ${owner.pid} on ${owner.host}${since}; stop it or name another`,
      mayBeStale,
    )
  }
  if (owner) rmSync(file, { force: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(self))
  renameSync(draft, file)
  held.add(file)
  const heartbeat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date())
    } catch {
      // the directory is gone or read-only: the next start finds out
    }
  }, heartbeatMs)
  heartbeat.unref()
  return () => {
    clearInterval(heartbeat)
    held.delete(file)
    rmSync(file, { force: true })
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return error instanceof SyntaxError ? { pid: 0, startedAt: undefined, host: hostname() } : undefined
  }
}

function isAlive(owner: Owner, file: string, self: Owner): boolean {
  if (owner.host !== self.host) return Date.now() - statSync(file).mtimeMs < staleMs
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
