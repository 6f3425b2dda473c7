import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from './logger.ts'

const program = (module: string) => `
  import { createLogger } from ${JSON.stringify(module)}
  const logger = createLogger('test')
  const line = 'x'.repeat(1000)
  for (let i = 0; i < 100_000; i++) {
    logger.info(line)
    if (i % 1000 === 0) await new Promise(setImmediate)
  }
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.stdout.write(String(heapUsed + external), () => process.kill(process.pid, 'SIGKILL'))
`

test.each([
  [undefined, 'info'],
  ['', 'info'],
  ['WARN', 'warn'],
])('with LOG_LEVEL %j it logs from %s on', (asked, level) => {
  vi.stubEnv('LOG_LEVEL', asked)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(createLogger('test').level).toBe(level)
})

test('an invalid LOG_LEVEL is reported with the valid ones', () => {
  vi.stubEnv('LOG_LEVEL', 'verbose')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(() => createLogger('test')).toThrow(/LOG_LEVEL: "verbose"; expected one of .*debug/)
})

test('each error of an AggregateError is logged, without the extra fields on it', () => {
  const module = new URL('./logger.ts', import.meta.url).href
  const failing = `
    const { createLogger } = await import(${JSON.stringify(module)})
    const errors = ['a', 'b'].map((name) => new Error(name, { cause: Object.assign(new Error('why'), { params: [7] }) }))
    createLogger('test').error({ err: new AggregateError(errors, 'two') }, 'failed')
  `
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', failing], { encoding: 'utf8' })
  const cause = { name: 'Error', message: 'why', stack: expect.any(String) }
  const { err } = JSON.parse(stderr)
  expect(err).toMatchObject({ name: 'AggregateError', message: 'two', errors: [{ message: 'a' }, { message: 'b' }] })
  expect(err.errors[1].cause).toEqual(cause)
})

// only the types matter here: `npm run types` checks them
test('no line repeats a field that every line has', () => {
  const logger = createLogger('test', 'silent')
  const fields = { name: 'jemalloc' }
  // @ts-expect-error
  logger.info({ pid: 1 }, 'from a literal')
  // @ts-expect-error
  logger.info(fields, 'from elsewhere')
  // @ts-expect-error
  logger.child({ worker: 1 }).error({ ...fields, file: 'a' }, 'spread')
})

test.runIf(process.platform === 'linux')(
  'a pipe that takes the log is made non-blocking, whatever else is loaded',
  async () => {
    const module = new URL('./standard-error.ts', import.meta.url).href
    const flags = `
    import { readFileSync } from 'node:fs'
    await import(${JSON.stringify(module)})
    process.stdout.write(readFileSync('/proc/self/fdinfo/2', 'utf8').match(/flags:\\s*(\\d+)/)[1])
  `
    const child = spawn(process.execPath, ['--input-type=module', '--eval', flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [octal] = await once(child.stdout, 'data')
    expect(Number.parseInt(String(octal), 8) & constants.O_NONBLOCK).toBe(constants.O_NONBLOCK)
  },
)

test('unread lines do not fill the memory', async () => {
  const module = fileURLToPath(new URL('./logger.ts', import.meta.url))
  const args = ['--expose-gc', '--input-type=module', '--eval', program(module)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [bytes] = await once(child.stdout, 'data')
  // the 100 MB of lines would show
  expect(Number(bytes)).toBeLessThan(60e6)
})

test('a full disk under the log neither ends a process nor keeps one from ending', async () => {
  const module = fileURLToPath(new URL('./logger.ts', import.meta.url))
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, ['--input-type=module', '--eval', onFullDisk(module)], {
    stdio: ['ignore', 'pipe', full],
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
    closeSync(full)
  })
  const [said, [code]] = await Promise.all([once(child.stdout!, 'data'), once(child, 'exit')])
  expect([String(said[0]), code]).toEqual(['alive', 0])
})

const onFullDisk = (module: string) => `
  import { createLogger } from ${JSON.stringify(module)}
  const logger = createLogger('test')
  for (let i = 0; i < 10; i++) {
    logger.info('a line')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  logger.info('the last one')
  process.stdout.write('alive', () => process.exit(0))
`

/** Logs that many lines of a kilobyte, more than a pipe holds, and ends a while later. */
const leaving = (module: string, lines: number) => `
  import { createLogger } from ${JSON.stringify(module)}
  const logger = createLogger('test')
  for (let i = 0; i < ${lines}; i++) logger.info({ i }, 'x'.repeat(1000))
  await new Promise((resolve) => setTimeout(resolve, 300))
  process.stdout.write('leaving', () => process.exit(0))
`

function leavingProcess(lines: number) {
  const module = fileURLToPath(new URL('./logger.ts', import.meta.url))
  const child = spawn(process.execPath, ['--input-type=module', '--eval', leaving(module, lines)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

test('lines that wait for a full pipe when the process ends each reach a late reader once, in order', async () => {
  const child = leavingProcess(1000)
  await once(child.stdout, 'data')
  const text = await Array.fromAsync(child.stderr.setEncoding('utf8'))
  const lines = text.join('').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).i)).toEqual(Array.from({ length: 1000 }, (_, i) => i))
})

test('an unread pipe does not keep a process from ending', async () => {
  const child = leavingProcess(1000)
  expect(await once(child, 'exit')).toEqual([0, null])
})
