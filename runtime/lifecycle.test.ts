import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'

const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
const chunkBytes = 256 * 1024

/** A process that writes chunk after chunk to a file, and is told to leave, twice, with the first of them. */
const writer = `
  import { open } from 'node:fs/promises'
  import { createLeave } from ${module('lifecycle.ts')}
  import { createLogger } from ${module('logger.ts')}
  const leave = createLeave({ stop: () => new Promise(() => {}) }, createLogger('test', 'info'), 60_000)
  const file = await open(process.argv[1], 'w')
  setTimeout(() => { leave('first'); leave('second') }, 100)
  for (;;) await file.write(Buffer.alloc(${chunkBytes}))`

test('a process that leaves at once finishes its write to a slow disk, and begins no other', async () => {
  const pipe = join(mkdtempSync(join(tmpdir(), 'lifecycle-')), 'pipe')
  execFileSync('mkfifo', [pipe])
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, pipe], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const disk = createReadStream(pipe)
  for await (const line of createInterface({ input: child.stderr! }))
    if (line.includes('told to stop a second time')) break
  await sleep(30)
  let written = 0
  for await (const chunk of disk) written += chunk.length
  expect([await exited, written]).toEqual([[null, 'SIGKILL'], chunkBytes])
})

/** A process whose stop takes longer than two signals, and that signals itself twice in a row. */
const signalledTwice = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { stopOnSignals } from ${module('lifecycle.ts')}
  import { createLogger } from ${module('logger.ts')}
  stopOnSignals({ stop: () => sleep(50) }, createLogger('test', 'info'))
  process.once('SIGTERM', () => process.kill(process.pid, 'SIGTERM'))
  process.kill(process.pid, 'SIGTERM')
  setInterval(() => {}, 1000)`

test('a signal that reaches a process twice, by itself and by its group, still lets it drain', () => {
  const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', signalledTwice])
  expect({ status, signal }).toEqual({ status: 0, signal: null })
})
