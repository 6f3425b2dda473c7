import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { createLogger } from '../runtime/logger.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { formatCpuList } from './cpu/cpu-list.ts'
import { readTopology, type Topology } from './cpu/topology.ts'
import type { Launcher } from './instance/launcher.ts'
import { type InstanceOptions, PinnedInstance } from './instance/pinned-instance.ts'
import type { CandidateServer } from './server.ts'
import { copyExternalModel } from './testing/external-model.ts'
import { call, hold, startTestServer, testConfig, testModel } from './testing/start-test-server.ts'

const sum = { name: 'sum', path: testModel('sum') }
const ask = ({ url }: CandidateServer) => call(`${url}/predictions/sum`, { a: [1, 1], b: [2, 2] })
const instanceOf = async ({ url }: CandidateServer) => (await call(`${url}/plan`)).body.instances[0]
const maskOf = (pid: number) => /^Cpus_allowed_list:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]

async function start(section: Record<string, unknown>, options = {}): Promise<CandidateServer> {
  const server = await startTestServer({ models: [sum], ...section }, options)
  onTestFinished(() => server.stop())
  return server
}

/** A program in its own folder, whose path is passed to `source`. */
function programOf(source: (folder: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-instance-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'instance.mjs')
  writeFileSync(program, source(folder))
  return program
}

/** An instance whose processes run this program. */
const fakeProcess = (program: string): InstanceOptions => ({
  placed: { model: 'fake', group: 0, cpus: [0], threads: 1, memoryNode: null, spinning: 'never' },
  load: { path: '', threads: 1, spinning: 'never', session: {} as never, warmUp: { rows: 1, length: 1 } },
  launcher: { kind: 'taskset', command: process.execPath, args: [program] } as unknown as Launcher,
  allocator: { kind: 'system' },
  hugePages: false,
  startTimeoutMs: 60_000,
  runLimits: { timeoutMs: 60_000, rssBytesMax: 'none' },
  outputBytesMax: 1,
  recycle: testConfig({ models: [sum] }).limits,
  clock: systemClock,
  logger: createLogger('test', 'silent'),
  onChange: () => {},
})

describe('an instance is recycled', () => {
  test('after a number of runs, on its cores, and no request notices', async () => {
    const server = await start({ limits: { recycleAfter: 20 } })
    const before = await instanceOf(server)
    let asked = 0
    await waitFor(
      'a fresh process',
      async () => {
        expect((await ask(server)).body).toEqual({ predictions: [3, 3] })
        asked++
        return instanceOf(server)
      },
      ({ recycles }) => recycles === 1,
    )
    const after = await instanceOf(server)
    expect(after).toMatchObject({ cpus: before.cpus, affinity: 'verified', restarts: 0 })
    expect(after.pid).not.toBe(before.pid)
    expect(asked).toBeGreaterThanOrEqual(20)
    expect((await ask(server)).status).toBe(200)
    expect(String((await call(`${server.url}/metrics`)).body)).toContain(
      'understudy_candidate_instance_recycles{model="sum"} 1',
    )
  })

  test('over twice the memory of a fresh one plus 512 MiB, if no limit is set', async () => {
    // reports one byte more memory than allowed
    const program = programOf(
      () => `process.on('message', ({ kind, id }) => {
        const done = { kind: 'done', id, outputs: {}, inferMs: 1, rssBytes: 2 * 2 ** 20 + 512 * 2 ** 20 + 1 }
        process.send(kind === 'load' ? { kind: 'ready', model: { digest: 'x' }, rssBytes: 2 ** 20 } : done)
      })
      process.on('disconnect', () => process.exit())`,
    )
    const instance = new PinnedInstance(fakeProcess(program))
    onTestFinished(() => instance.stop())
    await instance.start()
    const { pid } = instance
    await instance.run({}, 1)
    await waitFor(
      'a fresh process',
      () => instance.recycles,
      (recycles) => recycles === 1,
    )
    expect(instance.pid).not.toBe(pid)
  })

  test('without probing its rows again', async () => {
    const program = programOf(
      (folder) => `import { appendFileSync } from 'node:fs'
      process.on('message', ({ kind, id, mixesRows }) => {
        if (kind === 'load') appendFileSync(${JSON.stringify(join(folder, 'told'))}, mixesRows + ' ')
        const done = { kind: 'done', id, outputs: {}, inferMs: 1, rssBytes: 1 }
        process.send(kind === 'load' ? { kind: 'ready', model: { digest: 'x', mixesRows: true }, rssBytes: 1 } : done)
      })
      process.on('disconnect', () => process.exit())`,
    )
    const instance = new PinnedInstance({ ...fakeProcess(program), recycle: { recycleAfter: 1, rssMax: 'none' } })
    onTestFinished(() => instance.stop())
    await instance.start()
    await instance.run({}, 1)
    await waitFor(
      'a fresh process',
      () => instance.recycles,
      (recycles) => recycles === 1,
    )
    expect(readFileSync(join(dirname(program), 'told'), 'utf8')).toBe('undefined true ')
  })

  test('once, even if the fresh process took long to load and the old one was busy to the end', async () => {
    // only the first process leaks; its second run lasts until it is released
    const program = programOf(
      (folder) => `import { existsSync, writeFileSync } from 'node:fs'
      const first = !existsSync(${JSON.stringify(join(folder, 'first'))})
      writeFileSync(${JSON.stringify(join(folder, 'first'))}, '')
      const done = (id) => process.send({ kind: 'done', id, outputs: {}, inferMs: 1, rssBytes: first ? 2 ** 30 : 1 })
      process.on('message', ({ kind, id }) => {
        if (kind === 'load') process.send({ kind: 'ready', model: { digest: 'x' }, rssBytes: 1 })
        if (kind === 'run' && id !== 2) done(id)
        if (kind === 'stop') process.exit()
      })
      process.on('SIGUSR1', () => done(2))
      process.on('disconnect', () => process.exit())`,
    )
    let passedMs = 0
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs }
    const loaded = Promise.withResolvers<void>()
    let raised = 0
    const logger = createLogger('test', 'silent')
    logger.info = (() => {
      raised++
      loaded.resolve()
    }) as typeof logger.info
    const instance = new PinnedInstance({ ...fakeProcess(program), clock, logger })
    onTestFinished(() => instance.stop())
    await instance.start()
    const pid = instance.pid!
    await instance.run({}, 1)
    const second = instance.run({}, 1)
    await loaded.promise
    passedMs = 15_000
    process.kill(pid, 'SIGUSR1')
    await second
    expect(instance).toMatchObject({ recycles: 1 })
    // a process started because of the first one's memory would be there before the next one
    const again = new PinnedInstance(fakeProcess(program))
    onTestFinished(() => again.stop())
    await again.start()
    expect(raised).toBe(1)
  })

  test('by a process that crashes before it takes over, and continues with the old one', async () => {
    // its second run lasts until it is released
    const program = programOf(
      (folder) => `import { writeFileSync } from 'node:fs'
      writeFileSync(${JSON.stringify(folder)} + '/' + process.pid, '')
      const done = (id) => process.send({ kind: 'done', id, outputs: {}, inferMs: 1, rssBytes: 1 })
      process.on('message', ({ kind, id }) => {
        if (kind === 'load') process.send({ kind: 'ready', model: { digest: 'x' }, rssBytes: 1 })
        if (kind === 'run' && id !== 2) done(id)
        if (kind === 'stop') process.exit()
      })
      process.on('SIGUSR1', () => done(2))
      process.on('disconnect', () => process.exit())`,
    )
    const recycled = Promise.withResolvers<void>()
    const logger = createLogger('test', 'silent')
    logger.info = (() => recycled.resolve()) as typeof logger.info
    const instance = new PinnedInstance({
      ...fakeProcess(program),
      recycle: { recycleAfter: 1, rssMax: 'none' },
      logger,
    })
    onTestFinished(() => instance.stop())
    await instance.start()
    const pid = instance.pid!
    await instance.run({}, 1)
    const second = instance.run({}, 1)
    await recycled.promise
    const successor = Number(
      readdirSync(dirname(program)).find((name) => ![String(pid), 'instance.mjs'].includes(name)),
    )
    process.kill(successor, 'SIGKILL')
    await waitFor('the successor to be gone', () => !existsSync(`/proc/${successor}`))
    process.kill(pid, 'SIGUSR1')
    expect(await second).toMatchObject({ kind: 'done' })
    expect(await instance.run({}, 1)).toMatchObject({ kind: 'done' })
    expect(instance).toMatchObject({ pid, recycles: 0, restarts: 0 })
  })

  test('over its memory limit, but not again and again if a fresh one has as much', async () => {
    const server = await start({ limits: { rssMax: '1MiB' } })
    await waitFor(
      'a fresh process',
      async () => {
        expect((await ask(server)).status).toBe(200)
        return instanceOf(server)
      },
      ({ recycles }) => recycles === 1,
    )
    const { pid, rssBytes } = await instanceOf(server)
    expect(rssBytes).toBeGreaterThan(1 << 20)
    for (let i = 0; i < 50; i++) await ask(server)
    expect(await instanceOf(server)).toMatchObject({ pid, recycles: 1 })
  })
})

test('a run answered after exceeding its limit is not blamed on the batch sent ahead, which counts as not run', async () => {
  const program = programOf(
    () => `process.on('message', ({ kind, id }) => {
      const done = { kind: 'done', id, outputs: {}, inferMs: 1, rssBytes: 1 }
      if (kind === 'load') process.send({ kind: 'ready', model: { digest: 'x' }, rssBytes: 1 })
      else if (id <= 2) process.send(done)
    })
    process.on('disconnect', () => process.exit())`,
  )
  const runLimits = { timeoutMs: 1_000, rssBytesMax: 'none' } as const
  const instance = new PinnedInstance({ ...fakeProcess(program), runLimits })
  onTestFinished(() => instance.stop())
  await instance.start()
  await instance.run({}, 1)
  const [over, ahead] = [instance.run({}, 1), instance.run({}, 1)]
  // the next turn of the event loop starts with timers: the answer has arrived by then, but is unread
  await new Promise(setImmediate)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  expect((await over).kind).toBe('done')
  expect(await ahead).toEqual({ kind: 'notRun' })
})

test('the log tells a process that the server killed from one that was killed by another', async () => {
  // no run is answered, and each process loads another model
  const program = programOf(
    () => `process.on('message', ({ kind }) => {
      const model = { digest: String(process.pid) }
      if (kind === 'load') process.send({ kind: 'ready', model, rssBytes: 1 })
    })
    process.on('disconnect', () => process.exit())`,
  )
  const reasons: string[] = []
  const logger = createLogger('test', 'silent')
  logger.error = ((what: { reason: string }, message: string) => {
    if (message === 'an instance ended') reasons.push(what.reason)
  }) as never
  const runLimits = { timeoutMs: 100, rssBytesMax: 'none' } as const
  const instance = new PinnedInstance({ ...fakeProcess(program), runLimits, logger })
  onTestFinished(() => instance.stop())

  await instance.start()
  process.kill(instance.pid!, 'SIGKILL')
  await waitFor('its successor to end too', () => reasons.length >= 2)
  expect(reasons.slice(0, 2)).toEqual([
    'ended with SIGKILL, perhaps by the kernel for lack of memory',
    'was ended: it could not be put into service',
  ])

  const other = new PinnedInstance({ ...fakeProcess(program), runLimits, logger })
  onTestFinished(() => other.stop())
  await other.start()
  await other.run({}, 1)
  await waitFor('the end of the run', () => reasons.includes('was ended: a run exceeded limits.runTimeout'))
})

test('a process that runs another ONNX Runtime than the one before it, as after an upgrade on disk, is warned of', async () => {
  const program = programOf(
    (folder) => `import { existsSync, writeFileSync } from 'node:fs'
    const isUpgraded = existsSync(${JSON.stringify(join(folder, 'upgraded'))})
    const model = { digest: 'x', runtimeVersion: isUpgraded ? '1.31.0' : '1.30.0' }
    process.on('message', ({ kind }) => {
      if (kind === 'load') process.send({ kind: 'ready', model, rssBytes: 1 })
    })
    process.on('disconnect', () => process.exit())`,
  )
  const logger = createLogger('test', 'silent')
  const warned = vi.spyOn(logger, 'warn')
  const instance = new PinnedInstance({ ...fakeProcess(program), logger })
  onTestFinished(() => instance.stop())
  const replaced = async () => {
    const { pid, restarts } = instance
    process.kill(pid!, 'SIGKILL')
    await waitFor('a process in its place', () => instance.mode === 'idle' && instance.restarts > restarts)
  }

  await instance.start()
  await replaced()
  expect(warned).not.toHaveBeenCalled()
  writeFileSync(join(dirname(program), 'upgraded'), '')
  await replaced()
  expect(warned.mock.calls).toEqual([
    [
      expect.objectContaining({ model: 'fake' }),
      expect.stringMatching(/ONNX Runtime 1\.31\.0.* 1\.30\.0.*restart the server/),
    ],
  ])
})

describe.runIf(readTopology().allowedCpus.length >= 2)('CPUs that change while the server runs', () => {
  const [first, second] = readTopology().allowedCpus as [number, number]
  const machine = (allowedCpus: number[]): Topology => ({ ...readTopology(), allowedCpus })

  test('move the instances to a plan that fits, and no request notices', async () => {
    let now = machine([first])
    const server = await start({ cpu: { instances: 1, threads: 1, watch: '20ms' } }, { readTopology: () => now })
    expect(maskOf((await instanceOf(server)).pid)).toBe(formatCpuList([first]))
    now = machine([second])
    const after = await waitFor(
      'the move',
      async () => {
        expect((await ask(server)).status).toBe(200)
        return instanceOf(server)
      },
      ({ cpus }) => cpus[0] === second,
    )
    expect(after.affinity).toBe('verified')
    expect(maskOf(after.pid)).toBe(formatCpuList([second]))
    expect(String((await call(`${server.url}/metrics`)).body)).toContain(
      'understudy_candidate_cpu_changes_total{result="replanned"} 1',
    )
    expect((await call(`${server.url}/plan`)).body).toMatchObject({ usableCores: [second] })
  })

  test('move only the instances whose cores have changed, and let them finish their runs', async () => {
    let now = machine([first, second])
    const section = {
      cpu: { instances: 'auto', threads: 1, watch: '20ms' },
      models: [{ name: 'slow', path: testModel('slow'), batch: { sizeMax: 1 } }],
    }
    const server = await start(section, { readTopology: () => now })
    type Running = { pid: number; cpus: number[]; mode: string }
    const instances = async (): Promise<[Running, Running]> => (await call(`${server.url}/plan`)).body.instances
    const movedTo = (...cpus: number[]) =>
      waitFor('the move', instances, (now) => now.flatMap((one) => one.cpus).join() === cpus.join())
    const [staying, leaving] = await instances()
    const release = [staying, leaving].map(({ pid }) => hold(pid))
    const answers = release.map(() => call(`${server.url}/predictions/slow`, [1]))
    await waitFor('both to be busy', instances, (now) => now.every(({ mode }) => mode === 'busy'))
    now = machine([first])
    expect(await movedTo(first)).toMatchObject([{ pid: staying.pid, mode: 'busy' }])
    for (const letGo of release) letGo()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    await waitFor('the end of the process that left', () => !existsSync(`/proc/${leaving.pid}`))
    now = machine([first, second])
    const [still, fresh] = await movedTo(first, second)
    expect([still.pid, fresh.mode]).toEqual([staying.pid, 'idle'])
    expect((await call(`${server.url}/v2/models/slow/stats`)).body.model_stats[0].inference_count).toBe(2)
  })

  test('do not hold up a stop: a run on cores that were left is given up with the others', async () => {
    let now = machine([first])
    const section = {
      cpu: { instances: 1, threads: 1, watch: '20ms' },
      limits: { drainTimeout: '100ms' },
      models: [{ name: 'slow', path: testModel('slow') }],
    }
    const server = await start(section, { readTopology: () => now })
    const { pid } = await instanceOf(server)
    hold(pid)
    const answer = call(`${server.url}/predictions/slow`, [1])
    await waitFor(
      'the run',
      () => instanceOf(server),
      ({ mode }) => mode === 'busy',
    )
    now = machine([second])
    await waitFor(
      'the move',
      () => instanceOf(server),
      ({ cpus }) => cpus[0] === second,
    )
    await server.stop()
    expect(await answer).toMatchObject({ status: 503, body: { message: expect.stringContaining('version') } })
    expect(existsSync(`/proc/${pid}`)).toBe(false)
  })

  test('so that no plan fits leave the instances where they are, with a warning', async () => {
    let now = machine([first, second])
    const server = await start({ cpu: { instances: 1, threads: 2, watch: '20ms' } }, { readTopology: () => now })
    const { pid } = await instanceOf(server)
    now = machine([first])
    const plan = await waitFor(
      'a failed move',
      async () => (await call(`${server.url}/plan`)).body,
      ({ warnings }) => warnings.some(({ code }: { code: string }) => code === 'CPUS_CHANGED'),
    )
    expect(plan.instances[0].pid).toBe(pid)
    expect((await ask(server)).status).toBe(200)
    now = machine([first, second])
    await waitFor(
      'the move',
      async () => (await call(`${server.url}/plan`)).body.warnings,
      (warnings) => warnings.every(({ code }: { code: string }) => code !== 'CPUS_CHANGED'),
    )
  })

  test('leave a changed file to the next reload, so that only that serves another model', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'understudy-model-')), 'sum.onnx')
    onTestFinished(() => rmSync(dirname(path), { recursive: true }))
    copyFileSync(sum.path, path)
    let now = machine([first])
    const models = [
      { ...sum, path },
      { name: 'slow', path: testModel('slow') },
    ]
    const section = { cpu: { instances: 1, threads: 1, watch: '20ms' }, models }
    const logger = createLogger('test', 'silent')
    const loaded = vi.spyOn(logger, 'info')
    const server = await start(section, { readTopology: () => now, logger })
    const digestOf = async () => (await ask(server)).headers.get('x-model-digest')
    const digest = await digestOf()
    copyFileSync(testModel('slow'), path)
    now = machine([second])
    const warnings = await waitFor(
      'a failed move',
      async () => (await call(`${server.url}/plan`)).body.warnings,
      (warnings) => warnings.some(({ code }: { code: string }) => code === 'CPUS_CHANGED'),
    )
    const { message } = warnings.find(({ code }: { code: string }) => code === 'CPUS_CHANGED')
    expect(message).toContain('its files have changed since they were loaded; reload the server (SIGHUP)')
    expect(await digestOf()).toBe(digest)
    // no try loads any model
    await waitFor(
      'three failed moves',
      () => call(`${server.url}/metrics`),
      ({ body }) => Number(/cpu_changes_total\{result="failed"\} (\d+)/.exec(String(body))![1]) >= 3,
    )
    expect(loaded.mock.calls.filter(([, message]) => message === 'model loaded')).toHaveLength(2)
    await server.reload(testConfig(section))
    expect(await instanceOf(server)).toMatchObject({ cpus: [second], affinity: 'verified' })
    expect(await digestOf()).not.toBe(digest)
  })

  test.each([
    ['external.onnx', 'model m: no file can be read at'],
    ['external-a.data', /model m: \/.*external-a\.data cannot be read \(ENOENT\); put it back$/],
  ])('while %s of a model is missing move the instances once it is back', async (file, why) => {
    const model = copyExternalModel()
    const path = join(dirname(model), file)
    let now = machine([first])
    const section = { cpu: { instances: 1, threads: 1, watch: '20ms' }, models: [{ name: 'm', path: model }] }
    const server = await start(section, { readTopology: () => now })
    renameSync(path, `${path}.away`)
    now = machine([second])
    const warnings = await waitFor(
      'a failed move',
      async () => (await call(`${server.url}/plan`)).body.warnings,
      (warnings) => warnings.some(({ code }: { code: string }) => code === 'CPUS_CHANGED'),
    )
    const { message } = warnings.find(({ code }: { code: string }) => code === 'CPUS_CHANGED')
    expect(message).toMatch(why)
    expect(message).toContain('the move failed: model m: ')
    renameSync(`${path}.away`, path)
    await waitFor(
      'the move',
      () => instanceOf(server),
      ({ cpus, affinity }) => cpus[0] === second && affinity === 'verified',
    )
    expect((await call(`${server.url}/predictions/m`, [1, 1])).body).toEqual({ predictions: [10, 200] })
  })
})

test('mirrored requests yield: later live ones are answered first, and displace them if the queue is full', async () => {
  const server = await startTestServer({
    queue: { max: 3 },
    models: [{ name: 'slow', path: testModel('slow'), batch: { sizeMax: 1 } }],
  })
  onTestFinished(() => server.stop())
  const order: string[] = []
  const run = async (name: string, rounds: number, headers: Record<string, string> = {}) => {
    const { status } = await call(`${server.url}/predictions/slow`, [rounds], headers)
    order.push(name)
    return status
  }
  const waiting = (count: number) =>
    waitFor(
      `${count} in the queue`,
      () => call(`${server.url}/metrics`),
      ({ body }) => String(body).includes(`queue_requests{model="slow"} ${count}`),
    )
  const release = hold((await instanceOf(server)).pid)
  const running = run('running', 1)
  await waitFor(
    'a run',
    () => instanceOf(server),
    ({ mode }) => mode === 'busy',
  )
  const shadow = { 'x-understudy-shadow': '1' }
  // slow enough that no answer arrives together with that of the run before
  const shadows = [run('shadow 1', 100, shadow)]
  await waiting(1)
  shadows.push(run('shadow 2', 1, shadow))
  await waiting(2)
  const live = [run('live 1', 100)]
  await waiting(3)
  live.push(run('live 2', 100))
  expect(await shadows[1]).toBe(503)
  release()
  expect(await Promise.all([running, shadows[0], ...live])).toEqual([200, 200, 200, 200])
  expect(order).toEqual(['shadow 2', 'running', 'live 1', 'live 2', 'shadow 1'])
})
