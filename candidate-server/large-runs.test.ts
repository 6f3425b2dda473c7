import { fstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { createLogger } from '../runtime/logger.ts'
import { keptBytesMax } from './instance/exchange-file.ts'
import { InstanceProcess, type ProcessOptions } from './instance/instance-process.ts'
import type { Launcher } from './instance/launcher.ts'
import type { LoadedModel } from './instance/messages.ts'
import type { PinnedInstance } from './instance/pinned-instance.ts'
import { BatchRunner } from './model/batch-runner.ts'
import { InferenceStatistics } from './model/inference-statistics.ts'
import type { Waiting } from './model/instance-group.ts'
import type { ModelInfo } from './tensor/model-info.ts'
import { call, hold, startTestServer, testConfig, testModel } from './testing/start-test-server.ts'

async function start(section: Record<string, unknown>) {
  const server = await startTestServer(section)
  onTestFinished(() => server.stop())
  return server.url
}

const processOptions = (own: Partial<ProcessOptions> = {}): ProcessOptions => ({
  model: 'sum',
  launcher: { kind: 'unpinned' },
  allocator: { kind: 'system' },
  hugePages: false,
  load: {
    path: testModel('sum'),
    threads: 1,
    spinning: 'never',
    session: testConfig({ models: [{ name: 'any', path: 'any' }] }).models[0]!.session,
    warmUp: { rows: 1, length: 1 },
  },
  startTimeoutMs: 60_000,
  runLimits: { timeoutMs: 60_000, rssBytesMax: 'none' },
  clock: systemClock,
  logger: createLogger('test', 'silent'),
  ...own,
})
async function open(options: ProcessOptions) {
  const process = new InstanceProcess(options)
  onTestFinished(() => process.kill('the test'))
  await process.load()
  return process
}
const floats = (rows: number) => {
  const tensor = { type: 'float32' as const, shape: [rows, 2], parts: [new Float32Array(rows * 2).fill(1)] }
  return { a: tensor, b: tensor }
}

test('a request has at most limits.rowsMax rows, in every protocol', async () => {
  const url = await start({
    limits: { rowsMax: 3 },
    models: [{ name: 'sum', path: testModel('sum'), batch: { sizeMax: 2 } }],
  })
  const infer = (a: number, b: number) => {
    const input = (rows: number) => ({ datatype: 'FP32', shape: [rows, 2], data: new Array(rows * 2).fill(1) })
    return call(`${url}/v2/models/sum/infer`, {
      inputs: [
        { name: 'a', ...input(a) },
        { name: 'b', ...input(b) },
      ],
    })
  }
  expect((await infer(3, 3)).body.outputs[0].shape).toEqual([3, 2])
  for (const more of [await infer(4, 4), await infer(1, 4)]) {
    expect(more).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('at most 3 rows in a request, which is limits.rowsMax, got 4') },
    })
  }
})

test('outputs over limits.outputMax fail their request with the reason', async () => {
  const limits = { outputMax: '3MiB' }
  const url = await start({ limits, models: [{ name: 'large', path: testModel('large-output') }] })
  expect(await call(`${url}/predictions/large`, '1')).toMatchObject({
    status: 500,
    body: { message: expect.stringContaining('its outputs are 4194304 bytes, over limits.outputMax, 3145728 bytes') },
  })
})

test('outputs waiting to be written count towards the body budget, and a request alone is always answered', async () => {
  const limits = { bodyMax: '1MiB', bodiesMax: '16MiB' }
  const url = await start({ limits, models: [{ name: 'large', path: testModel('large-output') }] })
  const infer = () => call(`${url}/predictions/large`, '1')
  // 4 MiB each, which take far longer to write than to compute
  const answers = await Promise.all(Array.from({ length: 24 }, infer))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(answers.length - refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, body } of refused) {
    expect([status, body.message]).toEqual([503, expect.stringContaining('limits.bodiesMax, 16777216 bytes')])
  }
  await expect.poll(async () => (await infer()).status).toBe(200)
})

test('numbers that take more memory than their JSON are counted by the memory they take', async () => {
  const limits = { bodyMax: '1MiB', bodiesMax: '4MiB' }
  const url = await start({
    limits,
    models: [{ name: 'slow', path: testModel('slow-length'), instances: 1, threads: 1 }],
  })
  // 512 KiB each, and twice that as float32: six bodies would fit, but not their numbers
  const zeros = `[${'0,'.repeat((1 << 18) - 1)}0]`
  const inferBody = `{"inputs":[{"name":"rounds","datatype":"FP32","shape":[1,${1 << 18}],"data":${zeros}}]}`
  for (const [path, body] of [
    ['predictions/slow', zeros],
    ['v2/models/slow/infer', inferBody],
  ] as const) {
    const release = hold((await call(`${url}/plan`)).body.instances[0].pid)
    const calls = Array.from({ length: 6 }, () => call(`${url}/${path}`, body))
    expect(await Promise.race(calls)).toMatchObject({ status: 503 })
    release()
    expect((await Promise.all(calls)).filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  }
})

test('outputs that cannot be held fail only their run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-boastful-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'boastful.mjs')
  writeFileSync(
    program,
    `process.on('message', ({ kind, id }) => {
      const outputs = { y: { type: 'float32', shape: [1], data: { at: 0, bytes: 2 ** 52 } } }
      process.send(kind === 'load' ? { kind: 'ready', rssBytes: 1 } : { kind: 'done', id, outputs, inferMs: 1, rssBytes: 1 })
    })`,
  )
  const launcher = { kind: 'taskset', command: process.execPath, args: [program] } as unknown as Launcher
  const boastful = await open(processOptions({ launcher }))
  for (let i = 0; i < 2; i++) {
    expect(await boastful.run(floats(1), 1 << 20)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('its outputs could not be read'),
    })
  }
})

test('inputs that cannot be sent fail only their run, and the runs behind it are not mixed up', async () => {
  const instance = await open(processOptions())
  const unsendable = { type: 'string' as const, shape: [1], parts: [[Symbol('no text')]] as unknown as string[][] }
  const first = instance.run(floats(3_000_000), 64 << 20)
  expect(await instance.run({ a: unsendable }, 1)).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('its inputs could not be sent'),
  })
  const third = instance.run(floats(2_000_000), 64 << 20)
  for (const [run, rows] of [
    [await first, 3_000_000],
    [await third, 2_000_000],
  ] as const) {
    expect(run.kind === 'done' && [run.outputs.total!.shape, run.outputs.total!.data.at(-1)]).toEqual([[rows, 2], 2])
  }
})

test('a batch for which there is no memory fails only its own requests', async () => {
  const info: ModelInfo = {
    inputs: [{ name: 'x', type: 'float32', shape: [2 ** 52, -1] }],
    outputs: [],
    batch: { kind: 'fixed', size: 2 ** 52 },
  }
  const runner = new BatchRunner({
    model: 'm',
    loaded: { info, quantization: 'none' } as LoadedModel,
    statistics: new InferenceStatistics(systemClock),
    clock: systemClock,
    logger: createLogger('test', 'silent'),
  })
  const settle = vi.fn()
  const inputs = { x: { type: 'float32' as const, shape: [1, 2], data: new Float32Array(2) } }
  const batch = [{ ...runner.grouping(inputs), inputs, settle } as unknown as Waiting]
  expect(await runner.run({} as PinnedInstance, batch)).toEqual([])
  expect(settle).toHaveBeenCalledExactlyOnceWith({
    kind: 'failed',
    message: expect.stringContaining('its inputs could not be put together'),
  })
})

test('shared memory used by a large run is released', async () => {
  const shared = () =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).includes(`understudy-${process.pid}-`)
          ? [fstatSync(Number(fd)).size]
          : []
      } catch {
        return []
      }
    })
  const instance = await open(processOptions())
  const large = await instance.run(floats(3_000_000), 64 << 20)
  expect(large.kind === 'done' && large.outputs.total!.data.at(-1)).toBe(2)
  const sizes = shared()
  expect(sizes).toHaveLength(2)
  expect(Math.max(...sizes)).toBe(keptBytesMax)
  expect(await instance.run(floats(3_000_000), 1 << 20)).toMatchObject({ kind: 'failed' })
  expect(Math.max(...shared())).toBe(keptBytesMax)
})
