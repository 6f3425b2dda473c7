import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { createLogger } from '../runtime/logger.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { formatCpuList } from './cpu/cpu-list.ts'
import { readTopology } from './cpu/topology.ts'
import { findAllocator } from './instance/allocator.ts'
import type { Launcher } from './instance/launcher.ts'
import { type InstanceOptions, PinnedInstance } from './instance/pinned-instance.ts'
import { type CandidateServer, startCandidateServer } from './server.ts'
import {
  call,
  demoModel,
  hold,
  spawnServer,
  startTestServer,
  testConfig,
  testModel,
  untilRefused,
} from './testing/start-test-server.ts'

interface RunningInstance {
  cpus: number[]
  model: string
  pid: number
  mode: string
  affinity: string
  memoryBound: boolean
  memoryNode: number
  restarts: number
}

/** About 0.4 ms per round on an idle core. */
const slowModel = { name: 'slow', path: testModel('slow'), batch: { sizeMax: 1 } }
const longRounds = 2500

const loadOf = (path: string): InstanceOptions['load'] => ({
  path,
  threads: 1,
  spinning: 'never',
  session: testConfig({ models: [{ name: 'any', path }] }).models[0]!.session,
  warmUp: { rows: 1, length: 1 },
})

async function start(section: Record<string, unknown>): Promise<CandidateServer> {
  const server = await startTestServer(section)
  onTestFinished(() => server.stop())
  return server
}
const instancesOf = async ({ url }: { url: string }) => (await call(`${url}/plan`)).body.instances as RunningInstance[]
const statsOf = async ({ url }: { url: string }, model = 'slow') =>
  (await call(`${url}/v2/models/${model}/stats`)).body.model_stats[0]
const run = ({ url }: { url: string }, rounds: number) => call(`${url}/predictions/slow`, [rounds])
const isBusy = async (server: { url: string }) =>
  waitFor(
    'a run',
    () => instancesOf(server),
    ([instance]) => instance!.mode === 'busy',
  )
/** Occupies its only instance with a run that lasts until it is released. */
async function held(server: { url: string }) {
  const [instance] = await instancesOf(server)
  const release = hold(instance!.pid)
  const running = run(server, 1)
  await isBusy(server)
  return { running, release }
}

describe('an instance', () => {
  test('runs every thread on its own cores, with the allocator that was found', async () => {
    const server = await start({ cpu: { instances: 'auto', threads: 'auto' }, models: [slowModel] })
    const instances = await instancesOf(server)
    const allowed = readTopology().allowedCpus
    expect(instances.length).toBeGreaterThan(0)
    expect(new Set(instances.flatMap(({ cpus }) => cpus)).size).toBe(instances.flatMap(({ cpus }) => cpus).length)
    for (const { pid, cpus, affinity, memoryBound, memoryNode } of instances) {
      expect(affinity).toBe('verified')
      expect(cpus.every((cpu) => allowed.includes(cpu))).toBe(true)
      const threads = readdirSync(`/proc/${pid}/task`)
      expect(threads.length).toBeGreaterThan(1)
      for (const thread of threads) {
        expect(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')).toMatch(
          new RegExp(`^Cpus_allowed_list:\\t${formatCpuList(cpus)}$`, 'm'),
        )
      }
      if (memoryBound) expect(readFileSync(`/proc/${pid}/numa_maps`, 'utf8')).toContain(` bind:${memoryNode} `)
      const allocator = findAllocator('auto')
      const maps = readFileSync(`/proc/${pid}/maps`, 'utf8')
      expect(maps.includes('jemalloc') || maps.includes('tcmalloc')).toBe(allocator.kind === 'preloaded')
    }
  })

  test('that is killed under load is restarted on its cores, and only its own request is lost', async () => {
    const server = await start({ queue: { timeout: '60s' }, models: [slowModel] })
    const [before] = await instancesOf(server)
    hold(before!.pid)
    const doomed = run(server, 1)
    await isBusy(server)
    const queued = [run(server, 1), run(server, 2)]
    await waitFor(
      'two in the queue',
      () => call(`${server.url}/metrics`),
      ({ body }) => String(body).includes('understudy_candidate_queue_requests{model="slow"} 2'),
    )
    process.kill(before!.pid, 'SIGKILL')

    expect(await doomed).toMatchObject({ status: 503, body: { code: 503, type: 'ServiceUnavailableException' } })
    const answers = await Promise.all(queued)
    expect(answers.map(({ status, body }) => [status, body.predictions])).toEqual([
      [200, [1]],
      [200, [2]],
    ])
    const [after] = await instancesOf(server)
    expect(after).toMatchObject({ cpus: before!.cpus, affinity: 'verified', restarts: 1 })
    expect(after!.pid).not.toBe(before!.pid)
    expect((await statsOf(server)).dropped).toMatchObject({ instanceLost: 1 })
  })

  test('takes the next batch while its runs are short; if killed, it loses only the current one', async () => {
    const server = await start({ models: [slowModel] })
    expect((await run(server, 1)).status).toBe(200)
    const doomed = run(server, longRounds)
    await isBusy(server)
    const ahead = run(server, 2)
    const behind = run(server, 3)
    // two, if the long run is so late that the batch behind it was taken back
    await waitFor(
      'one in the queue',
      () => call(`${server.url}/metrics`),
      ({ body }) => /understudy_candidate_queue_requests{model="slow"} [12]/.test(String(body)),
    )
    process.kill((await instancesOf(server))[0]!.pid, 'SIGKILL')
    expect((await doomed).status).toBe(503)
    expect((await Promise.all([ahead, behind])).map(({ body }) => body.predictions)).toEqual([[2], [3]])
    expect((await statsOf(server)).dropped).toMatchObject({ instanceLost: 1 })
    expect((await statsOf(server)).execution_count).toBe(3)
  })

  test('that hangs holds up only its own run: the batch sent ahead goes to another', async () => {
    const server = await start({ cpu: { instances: 2, threads: 1 }, models: [slowModel] })
    // both have completed a short run
    await waitFor(
      'the memory of both instances',
      () => Promise.all([run(server, 1), run(server, 1)]).then(() => call(`${server.url}/metrics`)),
      ({ body }) => String(body).match(/instance_rss_bytes{[^}]*} [1-9]/g)?.length === 2,
    )
    const [hung] = await instancesOf(server)
    process.kill(hung!.pid, 'SIGSTOP')
    onTestFinished(() => void (isGone(hung!.pid) || process.kill(hung!.pid, 'SIGCONT')))
    const answered: number[] = []
    const asked = [1, 2, 3, 4, 5, 6].map((rounds) => run(server, rounds).then(({ status }) => answered.push(status)))
    await waitFor(
      'five answers',
      () => answered,
      ({ length }) => length === 5,
    )
    process.kill(hung!.pid, 'SIGCONT')
    await Promise.all(asked)
    expect(answered).toEqual(new Array(6).fill(200))
    await waitFor(
      'idle instances',
      () => instancesOf(server),
      (instances) => instances.every(({ mode, restarts }) => mode === 'idle' && restarts === 0),
    )
  })

  test('that does not return from a run is ended and restarted', async () => {
    const server = await start({ limits: { runTimeout: '300ms' }, models: [slowModel] })
    const answers = await Promise.all([run(server, 1e9), run(server, 1)])
    expect(answers.map(({ status }) => status)).toEqual([503, 200])
    expect(answers[0]!.body.message).toContain('took longer than limits.runTimeout')
    expect((await instancesOf(server))[0]!.restarts).toBe(1)
  })

  test('that exhausts memory during a run is ended and restarted, and no other is', async () => {
    const server = await start({
      limits: { runRssMax: '500MiB' },
      queue: { timeout: '60s' },
      models: [{ name: 'swells', path: testModel('swells') }],
    })
    const ask = (size: number, rounds: number) => call(`${server.url}/predictions/swells`, { size, rounds })
    const startedAt = performance.now()
    expect((await ask(1, 500_000)).body).toEqual({ predictions: 1 })
    expect(performance.now() - startedAt).toBeGreaterThan(200)
    expect((await instancesOf(server))[0]!.restarts).toBe(0)
    // 256 MB, and the same again
    const answers = await Promise.all([ask(8_000, 200), ask(2, 1)])
    expect(answers.map(({ status }) => status)).toEqual([503, 200])
    expect(answers[0]!.body.message).toContain('took more memory than limits.runRssMax')
    expect((await instancesOf(server))[0]!.restarts).toBe(1)
  })

  test('that needs as much memory before its first run as a run may have is refused', async () => {
    await expect(start({ limits: { runRssMax: '1MiB' }, models: [slowModel] })).rejects.toThrow(
      /^model slow: its process has \d{8,} bytes with the model warm, .*limits.runRssMax, 1048576 bytes; raise it/,
    )
  })

  test('is restarted even if its process cannot be created for a while, and reports no pid meanwhile', async () => {
    const [cpu] = readTopology().allowedCpus
    const launcher: Launcher = { kind: 'taskset', command: 'taskset', args: ['-c', String(cpu)] }
    const instance = new PinnedInstance({
      placed: { model: 'sum', group: 0, cpus: [cpu!], threads: 1, memoryNode: null, spinning: 'never' },
      load: loadOf(testModel('sum')),
      launcher,
      allocator: findAllocator('none'),
      hugePages: false,
      startTimeoutMs: 60_000,
      runLimits: { timeoutMs: 60_000, rssBytesMax: 'none' },
      outputBytesMax: 1 << 20,
      recycle: { rssMax: 'none' },
      clock: systemClock,
      logger: createLogger('test', 'silent'),
      onChange: () => {},
    })
    onTestFinished(() => instance.stop())
    await instance.start()
    launcher.args.unshift('\0') // makes spawn throw
    process.kill(instance.pid!, 'SIGKILL')
    await waitFor(
      'two restarts',
      () => instance.restarts,
      (restarts) => restarts >= 2,
    )
    expect(instance.pid).toBeUndefined()
    launcher.args.shift()
    await waitFor(
      'an idle instance',
      () => instance.mode,
      (mode) => mode === 'idle',
    )
    expect(instance.pid).toBeDefined()
  })

  test('whose run outlasts the drain answers its requests that the server is stopping', async () => {
    const server = await startTestServer({ limits: { drainTimeout: '200ms' }, models: [slowModel] })
    const inside = run(server, 1e9)
    await isBusy(server)
    await server.stop()
    expect(await inside).toMatchObject({ status: 503, body: { message: expect.stringContaining('stopping') } })
  })

  test('that keeps crashing makes the server not ready', async () => {
    const server = await start({ models: [slowModel] })
    expect((await call(`${server.url}/readyz`)).status).toBe(200)
    for (let crash = 0; crash < 3; crash++) {
      const [instance] = await waitFor(
        'an idle instance',
        () => instancesOf(server),
        ([one]) => one!.mode === 'idle',
      )
      process.kill(instance!.pid, 'SIGKILL')
      await waitFor(
        'the crash',
        () => instancesOf(server),
        ([one]) => one!.restarts === crash + 1,
      )
    }
    await waitFor(
      'an idle instance',
      () => instancesOf(server),
      ([one]) => one!.mode === 'idle',
    )
    expect((await call(`${server.url}/v2/health/ready`)).status).toBe(503)
    expect((await call(`${server.url}/ping`)).body).toEqual({ status: 'Unhealthy' })
    expect((await run(server, 1)).status).toBe(200)
  })

  test('does not restart with a model other than the one whose digest it reports', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-swap-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'model.onnx')
    copyFileSync(testModel('sum'), path)
    const server = await start({ queue: { timeout: '10m' }, models: [{ name: 'sum', path }] })
    const ask = () => call(`${server.url}/predictions/sum`, { a: [1, 1], b: [2, 2] })
    copyFileSync(testModel('echo-rgb'), path)
    process.kill((await instancesOf(server))[0]!.pid, 'SIGKILL')
    await waitFor(
      'the crash',
      () => instancesOf(server),
      ([one]) => one!.mode !== 'idle',
    )
    const notReady = {
      status: 503,
      body: { code: 503, message: expect.stringContaining('no instance of sum stays up') },
    }
    // waits for the first restarts, not for its timeout
    expect(await ask()).toMatchObject(notReady)
    expect((await instancesOf(server))[0]!.restarts).toBeGreaterThanOrEqual(2)
    expect(await ask()).toMatchObject(notReady)
    expect((await statsOf(server, 'sum')).dropped.notReady).toBe(2)
    expect((await call(`${server.url}/readyz`)).status).toBe(503)
    copyFileSync(testModel('sum'), path)
    await waitFor(
      'an idle instance',
      () => instancesOf(server),
      ([one]) => one!.mode === 'idle',
    )
    expect((await ask()).body).toEqual({ predictions: [3, 3] })
  })
})

describe('the queue', () => {
  test('refuses requests when it is full, in each protocol’s format, and counts them', async () => {
    const server = await start({ queue: { max: 2 }, models: [slowModel] })
    const { running, release } = await held(server)
    const waiting = [run(server, 1), run(server, 1)]
    await waitFor(
      'two in the queue',
      () => call(`${server.url}/metrics`),
      ({ body }) => String(body).includes('queue_requests{model="slow"} 2'),
    )
    expect(await run(server, 1)).toMatchObject({
      status: 503,
      body: { code: 503, type: 'ServiceUnavailableException', message: expect.stringContaining('full') },
    })
    const oip = await call(`${server.url}/v2/models/slow/infer`, {
      inputs: [{ name: 'rounds', datatype: 'FP32', shape: [1, 1], data: [1] }],
    })
    expect(oip).toMatchObject({ status: 503, body: { error: expect.stringContaining('full') } })
    expect(oip.headers.get('x-model-name')).toBe('slow')
    expect(oip.headers.get('retry-after')).toBe('1')
    release()
    expect((await Promise.all([running, ...waiting])).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await statsOf(server)).dropped.queueFull).toBe(2)
    expect(String((await call(`${server.url}/metrics`)).body)).toContain(
      'understudy_candidate_dropped_total{model="slow",reason="queueFull"} 2',
    )
  })

  test('drops expired requests', async () => {
    const server = await start({ queue: { timeout: '50ms' }, models: [slowModel] })
    const { running, release } = await held(server)
    expect(await run(server, 1)).toMatchObject({ status: 504, body: { code: 504 } })
    release()
    expect((await running).status).toBe(200)
    expect((await statsOf(server)).dropped.expired).toBe(1)
  })

  test('drops requests whose clients closed their connection', async () => {
    const server = await start({ models: [slowModel] })
    const { running, release } = await held(server)
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.write('POST /predictions/slow HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n[5]')
    await waitFor(
      'one in the queue',
      () => call(`${server.url}/metrics`),
      ({ body }) => String(body).includes('queue_requests{model="slow"} 1'),
    )
    socket.destroy()
    await waitFor(
      'the client to be gone',
      () => statsOf(server),
      ({ dropped }) => dropped.clientGone === 1,
    )
    release()
    expect((await running).status).toBe(200)
    expect((await statsOf(server)).execution_count).toBe(1)
  })

  test('dynamic quantization turns batching off, so that other requests cannot change an answer', async () => {
    const server = await start({
      models: [{ name: 'q', path: testModel('dynamic-quantized'), batch: { sizeMax: 8, delayMax: '30ms' } }],
    })
    const alone = (await call(`${server.url}/predictions/q`, [0.1, 0.2])).body
    const [together] = await Promise.all([
      call(`${server.url}/predictions/q`, [0.1, 0.2]),
      call(`${server.url}/predictions/q`, [100, -100]),
    ])
    expect(together!.body).toEqual(alone)
  })
})

test('a model that fails at the start leaves no process of the others behind', async () => {
  const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim()
  const before = children()
  const models = [slowModel, { name: 'none', path: '/nonexistent.onnx' }, { name: 'sum', path: testModel('sum') }]
  await expect(startTestServer({ models })).rejects.toThrow(/nonexistent/)
  expect(children()).toBe(before)
})

describe('a model that cannot be served explains why at the start', () => {
  test.each<[string, (folder: string) => string, RegExp]>([
    ['a file that is not there', (folder) => join(folder, 'none.onnx'), /no file can be read at .*none\.onnx; check/],
    [
      'a file that is no model',
      (folder) => {
        writeFileSync(join(folder, 'text.onnx'), 'not a model at all')
        return join(folder, 'text.onnx')
      },
      /text\.onnx is not a model that ONNX Runtime can load/,
    ],
  ])('%s', async (_, makePath, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-load-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await expect(startTestServer({ models: [{ name: 'm', path: makePath(folder) }] })).rejects.toThrow(message)
  })

  test('a plan that does not fit', async () => {
    await expect(start({ cpu: { instances: 1000, threads: 8 }, models: [slowModel] })).rejects.toThrow(
      /need 8000 cores/,
    )
  })

  test('a port that is taken', async () => {
    const server = await start({ models: [slowModel] })
    await expect(start({ listen: server.url.replace('http://', ''), models: [slowModel] })).rejects.toThrow(
      /EADDRINUSE/,
    )
  })
})

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

describe('the service', () => {
  const config = (path: string) => `
candidateServer:
  listen: 127.0.0.1:0
  cpu: { instances: 1, threads: 1 }
  models:
    - { name: slow, path: ${path}, batch: { sizeMax: 1 } }
`

  test('on SIGTERM answers what it has accepted, refuses more, and leaves no process behind', async () => {
    const { child, url } = await spawnServer(config(testModel('slow')))
    const server = { url }
    const [instance] = await instancesOf(server)
    const { running, release } = await held(server)
    const queued = run(server, 3)
    await waitFor(
      'one in the queue',
      () => call(`${url}/metrics`),
      ({ body }) => String(body).includes('queue_requests{model="slow"} 1'),
    )
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await untilRefused(url)
    release()
    expect((await running).body).toEqual({ predictions: [1] })
    expect((await queued).body).toEqual({ predictions: [3] })
    expect(await exited).toEqual([0, null])
    await waitFor('the process to be gone', () => isGone(instance!.pid))
  })

  test('that is killed takes its instances with it', async () => {
    const { child, url } = await spawnServer(config(testModel('slow')))
    const [instance] = await instancesOf({ url })
    child.kill('SIGKILL')
    await waitFor('the process to be gone', () => isGone(instance!.pid))
  })

  test('pins by taskset if there is no numactl, and warns loudly if there is neither', async () => {
    const tools = mkdtempSync(join(tmpdir(), 'understudy-tools-'))
    onTestFinished(() => rmSync(tools, { recursive: true }))
    const planOf = async (path: string) => {
      const { child, url } = await spawnServer(config(testModel('slow')), { ...process.env, PATH: path })
      const { body } = await call(`${url}/plan`)
      expect((await run({ url }, 1)).status).toBe(200)
      child.kill('SIGKILL')
      return body
    }
    const unpinned = await planOf(tools)
    expect(unpinned.instances[0].affinity).toBe('unknown')
    expect(unpinned.warnings).toContainEqual({ code: 'UNPINNED', message: expect.stringContaining('taskset') })
    symlinkSync(execFileSync('which', ['taskset'], { encoding: 'utf8' }).trim(), join(tools, 'taskset'))
    expect((await planOf(tools)).instances[0].affinity).toBe('verified')
  })

  test('finds relative paths beside the config file', async () => {
    const digits = demoModel('digits-student')
    const folder = mkdtempSync(join(tmpdir(), 'understudy-relative-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    copyFileSync(digits, join(folder, 'here.onnx'))
    const server = await startCandidateServer({
      config: testConfig({ models: [{ name: 'here', path: './here.onnx' }] }),
      logger: createLogger('test', 'silent'),
      folders: [process.cwd(), folder],
    })
    onTestFinished(() => server.stop())
    expect((await call(`${server.url}/v2/models/here`)).status).toBe(200)
  })
})
