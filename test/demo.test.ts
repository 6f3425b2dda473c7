import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { ended, runCommand, startCommand, understudy } from './support/command.ts'
import { prepared } from './support/prepared-databases.ts'
import { temporaryDirectory } from './support/services.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Processes started with this data directory, which is in the environment of every service and instance. */
function processesOf(dataDir: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}\0`)
    } catch {
      return false // gone meanwhile, or not ours
    }
  })
}

const nothingRunsOn = (dataDir: string) =>
  waitFor(
    'every process of the demo to end',
    () => processesOf(dataDir),
    (left) => left.length === 0,
  )

/** Saves the demo the seconds of creating its database. On a run with a server, no embedded one is prepared. */
function prepareDatabase(dataDir: string): void {
  if (!process.env.DATABASE_URL) cpSync(process.env[prepared.migrated]!, join(dataDir, 'db'), { recursive: true })
}

/** Enough for a demo and a second one beside it. */
const PORTS = 60

async function startDemo(base: number, data: string): Promise<ChildProcess> {
  const demo = startCommand(['demo', '--port-base', String(base), '--data', data])
  closing.push(async () => {
    demo.kill('SIGKILL')
    // the processes still write while they shut down
    await nothingRunsOn(data)
  })
  let stderr = ''
  demo.stderr!.on('data', (chunk) => (stderr += chunk))
  await waitFor('the mirror to be ready', () => {
    if (demo.exitCode !== null) throw new Error(`the demo ended with ${demo.exitCode}: ${stderr}`)
    return fetch(`http://127.0.0.1:${base + 11}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return demo
}

test.each(['SIGINT', 'SIGKILL'] as const)('a demo that ends by %s leaves nothing running', async (signal) => {
  const data = temporaryDirectory()
  closing.push(data.remove)
  // the other creates its database, as on everyone's first start
  if (signal === 'SIGKILL') prepareDatabase(data.path)
  const base = await freePorts(PORTS)
  const demo = await startDemo(base, data.path)
  expect(processesOf(data.path).length).toBeGreaterThanOrEqual(5)
  demo.kill(signal)
  const end = await ended(demo)
  if (signal === 'SIGINT') expect(end).toBe(0)
  await nothingRunsOn(data.path)
})

// util-linux's has these options; not every system has it
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false
const sentence = 'Ctrl-C in a terminal has the last word: no progress follows'
const title = hasTerminal ? sentence : `NOT TESTED, as util-linux's script is not here: ${sentence}`

test.skipIf(!hasTerminal)(title, async () => {
  const data = temporaryDirectory()
  closing.push(data.remove, () => nothingRunsOn(data.path))
  prepareDatabase(data.path)
  const base = await freePorts(PORTS)
  // exec: Ctrl-C reaches every process of a terminal, and a shell that waited for the demo would end with a status of its own
  const demo = `exec ${process.execPath} ${understudy} demo --port-base ${base} --data ${data.path}`
  const terminal = spawn('script', ['--quiet', '--flush', '--return', '--command', demo, '/dev/null'])
  let shown = ''
  terminal.stdout.on('data', (chunk) => (shown += chunk))
  await waitFor(
    'a verdict to be shown',
    () => shown,
    (text) => /digits-int8 (inconclusive|pass)/.test(text),
  )
  terminal.stdin.write('\x03')
  expect(await once(terminal, 'close')).toEqual([0, null])
  const clearing = '\r\x1b[K'
  expect(shown.replaceAll(clearing, '')).toMatch(/Stopping; the data is kept for the next start\.\r\n$/)
})

test('a second demo on the same data says which demo owns it and ends', async () => {
  const data = temporaryDirectory()
  closing.push(data.remove)
  prepareDatabase(data.path)
  const base = await freePorts(PORTS)
  await startDemo(base, data.path)
  const second = await runCommand(['demo', '--port-base', String(base + 30), '--data', data.path])
  expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('is in use by process') })
})

test('a demo whose ports are taken says so and ends', async () => {
  const data = temporaryDirectory()
  closing.push(data.remove)
  const server = createServer().listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const run = await runCommand(['demo', '--port-base', String(port), '--data', data.path])
  expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining(`port ${port} is taken`) })
})
