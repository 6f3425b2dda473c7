import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type MirrorUnderTest, tempDir, withAdmin } from './mirror-under-test.ts'

export interface MirrorProcess {
  mirror: MirrorUnderTest
  child: ChildProcess
  /** Exit code and signal. */
  exited: Promise<unknown[]>
  /** The lines logged so far with this message. */
  logged(message: string): Record<string, unknown>[]
  log(): string
  /** Replaces its config file. */
  configure(section: Record<string, unknown> | string): void
}

const script = fileURLToPath(new URL('./run-mirror.ts', import.meta.url))

/** Starts a mirror in a process of its own, killed when the test ends; its workers end with it. */
export function launchMirror(section: Record<string, unknown>, openFilesMax?: number): Omit<MirrorProcess, 'mirror'> {
  const file = join(tempDir(), 'config.yaml')
  const configure: MirrorProcess['configure'] = (section) => {
    const whole = typeof section === 'string' ? section : stringify({ mirror: { ...anyPort, ...section } })
    writeFileSync(file, whole)
  }
  configure(section)
  const limited = openFilesMax === undefined ? [] : ['prlimit', `--nofile=${openFilesMax}`]
  const [command, ...rest] = [...limited, process.execPath, script, file]
  const child = spawn(command!, rest, {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    // a worker stopped by SIGSTOP would not see its supervisor end, and would keep vitest from ending
    for (const { pid } of logged('worker is up')) continueProcess(pid as number)
  })
  const lines: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => lines.push(line))
  const logged = (message: string) =>
    lines.filter((line) => line.includes(`"msg":${JSON.stringify(message)}`)).map((line) => JSON.parse(line))
  return { child, exited, logged, configure, log: () => lines.join('\n') }
}

/** Starts a mirror as `launchMirror` does, and resolves once it is ready. */
export async function spawnMirror(section: Record<string, unknown>, openFilesMax?: number): Promise<MirrorProcess> {
  const launched = launchMirror(section, openFilesMax)
  const { child, logged, log } = launched
  const up = await waitFor('the mirror process', () => {
    if (child.exitCode !== null) throw new Error(log())
    return logged('the mirror is ready')[0]
  })
  // each process writes its own lines: the supervisor's may come first
  const workers = typeof section.workers === 'number' && section.workers > 1 ? section.workers : 0
  await waitFor('its workers', () => logged('worker is up').length >= workers)
  const { url, adminUrl } = up as { url: string; adminUrl: string }
  const mirror = withAdmin({ url, adminUrl, stop: async () => {}, heldBytes: 0 })
  return { ...launched, mirror }
}

function continueProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // it has already ended
  }
}

const anyPort = { listen: '127.0.0.1:0', admin: '127.0.0.1:0' }
