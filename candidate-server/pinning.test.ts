/** Where the kernel says the instances of a running server are. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../runtime/logger.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { formatCpuList } from './cpu/cpu-list.ts'
import { readTopology, type Topology } from './cpu/topology.ts'
import type { CandidateServer } from './server.ts'
import { call, startTestServer, testConfig, testModel } from './testing/start-test-server.ts'
import { masksOf, taskset, threadsOf } from './testing/thread-masks.ts'

const allowed = readTopology().allowedCpus
const [first, second] = allowed as [number, number]
const hasTwo = allowed.length >= 2
const sum = { name: 'sum', path: testModel('sum') }
const slow = { name: 'slow', path: testModel('slow'), batch: { sizeMax: 1 } }

const planOf = async ({ url }: { url: string }) => (await call(`${url}/plan`)).body
const instanceOf = async (server: { url: string }) => (await planOf(server)).instances[0]
const codesOf = async (server: { url: string }) =>
  (await planOf(server)).warnings.map(({ code }: { code: string }) => code)
const metricsOf = async ({ url }: { url: string }) => String((await call(`${url}/metrics`)).body)
async function start(section: Record<string, unknown>, options = {}): Promise<CandidateServer> {
  const server = await startTestServer({ models: [sum], ...section }, options)
  onTestFinished(() => server.stop())
  return server
}
/** A machine with those two CPUs, whatever else this one has. */
const machine = (overrides: Partial<Topology> = {}): Topology => ({
  ...readTopology(),
  cores: [first, second].map((cpu) => ({ siblings: [cpu], node: 0, capacity: 1024 })),
  allowedCpus: [first, second],
  ...overrides,
})

describe.runIf(hasTwo)('an instance of two threads', () => {
  test('keeps ONNX Runtime’s own pool on its cores, also after a restart or recycling', async () => {
    const single = await start({ cpu: { instances: 1, threads: 1 }, models: [slow] })
    const threadsOfOne = threadsOf((await instanceOf(single)).pid).length
    const server = await start(
      { cpu: { instances: 1, threads: 2 }, limits: { recycleAfter: 20 }, models: [slow] },
      { readTopology: machine },
    )
    const expectPinned = async (count: Record<string, number>) => {
      const instance = await instanceOf(server)
      expect(instance).toMatchObject({ cpus: [first, second], affinity: 'verified', ...count })
      expect(masksOf(instance.pid)).toEqual([formatCpuList([first, second])])
      return instance
    }
    const { pid } = await expectPinned({ restarts: 0, recycles: 0 })
    expect(threadsOf(pid).length).toBeGreaterThan(threadsOfOne)

    process.kill(pid, 'SIGKILL')
    await waitFor(
      'another process',
      () => instanceOf(server),
      ({ restarts, mode }) => restarts === 1 && mode === 'idle',
    )
    await expectPinned({ restarts: 1, recycles: 0 })
    await waitFor(
      'a fresh process',
      async () => {
        expect((await call(`${server.url}/predictions/slow`, [1])).status).toBe(200)
        return instanceOf(server)
      },
      ({ recycles }) => recycles === 1,
    )
    await expectPinned({ restarts: 1, recycles: 1 })
  })
})

describe.runIf(hasTwo)('an instance that has left its cores', () => {
  test.each([
    ['with all its threads', (pid: number) => ['-a', '-c', '-p', String(second), String(pid)]],
    ['with one of its threads', (pid: number) => ['-c', '-p', `${first},${second}`, threadsOf(pid).at(-1)!]],
  ])('%s is moved back, in the same process', async (_, args) => {
    const server = await start({ cpu: { instances: 1, threads: 1, watch: '50ms' } }, { readTopology: machine })
    const before = await instanceOf(server)
    expect(masksOf(before.pid)).toEqual([String(first)])
    taskset(...args(before.pid))
    const after = await waitFor(
      'the process to be moved back',
      () => instanceOf(server),
      ({ movedBack }) => movedBack > 0,
    )
    expect(after).toMatchObject({ pid: before.pid, cpus: [first], affinity: 'verified', restarts: 0 })
    expect(masksOf(after.pid)).toEqual([String(first)])
    expect(await metricsOf(server)).toMatch(
      /understudy_candidate_moved_back_total\{kind="instance",result="moved back"\} [1-9]/,
    )
  })

  test('and cannot be moved back is no longer reported as verified', async () => {
    const tools = mkdtempSync(join(tmpdir(), 'understudy-tools-'))
    onTestFinished(() => rmSync(tools, { recursive: true }))
    const server = await start({ cpu: { instances: 1, threads: 1, watch: '50ms' } }, { readTopology: machine })
    const { pid } = await instanceOf(server)
    const path = process.env.PATH!
    vi.stubEnv('PATH', tools)
    onTestFinished(() => void vi.unstubAllEnvs())
    execFileSync('taskset', ['-a', '-c', '-p', String(second), String(pid)], { stdio: 'ignore', env: { PATH: path } })
    const plan = await waitFor(
      'another affinity',
      () => planOf(server),
      ({ instances }) => instances[0].affinity === 'differs',
    )
    expect(plan.warnings).toContainEqual({
      code: 'AFFINITY_DIFFERS',
      message: expect.stringContaining(`may run on CPUs ${second}`),
    })
    expect(await metricsOf(server)).toMatch(/moved_back_total\{kind="instance",result="failed"\} [1-9]/)
    vi.unstubAllEnvs()
    await waitFor(
      'no warning',
      () => codesOf(server),
      (codes) => !codes.includes('AFFINITY_DIFFERS'),
    )
  })
})

describe.runIf(hasTwo)('limits that change while the server runs', () => {
  const changes = (count: number) => `understudy_candidate_cpu_changes_total{result="replanned"} ${count}`

  test('a smaller quota leaves fewer instances, and a restored one as many as before', async () => {
    let now = machine({ quotaCpus: 2 })
    const server = await start({ cpu: { watch: '20ms' } }, { readTopology: () => now })
    const toInstances = (count: number, quotaCpus: number) =>
      waitFor(
        `${count} instances`,
        async () => {
          expect((await call(`${server.url}/predictions/sum`, { a: [1, 1], b: [2, 2] })).status).toBe(200)
          return planOf(server)
        },
        (plan) => plan.instances.length === count && plan.quotaCpus === quotaCpus,
      )
    await toInstances(2, 2)
    now = machine({ quotaCpus: 1 })
    await toInstances(1, 1)
    expect(await metricsOf(server)).toContain(changes(1))
    now = machine({ quotaCpus: 2 })
    await toInstances(2, 2)
    expect(await metricsOf(server)).toContain(changes(2))
  })

  test('in the middle of a reload are planned with the new config', async () => {
    let now = machine({ quotaCpus: 1 })
    const cpu = { instances: 1, threads: 1, watch: '20ms' }
    const server = await start({ cpu }, { readTopology: () => now })
    const reloaded = server.reload(testConfig({ cpu, models: [{ ...sum, version: '2' }] }))
    now = machine({ quotaCpus: 2 })
    await reloaded
    await waitFor(
      'the change',
      () => metricsOf(server),
      (text) => text.includes(changes(1)),
    )
    expect(await instanceOf(server)).toMatchObject({ model: 'sum', version: '2' })
  })

  test('memory nodes are planned again, and none that is no longer allowed is bound', async () => {
    let now = machine({ allowedMemoryNodes: [0] })
    const server = await start({ cpu: { instances: 1, threads: 1, watch: '20ms' } }, { readTopology: () => now })
    expect(await instanceOf(server)).toMatchObject({ memoryNode: 0 })
    now = machine({ allowedMemoryNodes: [1] })
    await waitFor(
      'no memory node',
      () => instanceOf(server),
      ({ memoryNode }) => memoryNode === null,
    )
    expect(await metricsOf(server)).toContain(changes(1))
  })
})

describe.runIf(hasTwo)('memory of a node', () => {
  const twoNodes = () =>
    machine({
      cores: [first, second].map((cpu, node) => ({ siblings: [cpu], node, capacity: 1024 })),
      allowedMemoryNodes: [0],
    })
  const works = (...command: string[]) => {
    try {
      execFileSync('numactl', [...command, 'true'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }

  test.runIf(works('-m', '0'))('is bound if numactl may bind it', async () => {
    const server = await start({ cpu: { instances: 1, threads: 1 } }, { readTopology: twoNodes })
    const { pid, memoryBound, memoryNode } = await instanceOf(server)
    expect({ memoryBound, memoryNode }).toEqual({ memoryBound: true, memoryNode: 0 })
    expect(readFileSync(`/proc/${pid}/numa_maps`, 'utf8')).toMatch(/ bind(=static)?:0 /)
    expect(await codesOf(server)).not.toContain('MEMORY_UNBOUND')
  })

  test('is reported as unbound if there is only taskset, but not on a machine with one node', async () => {
    const tools = mkdtempSync(join(tmpdir(), 'understudy-tools-'))
    onTestFinished(() => rmSync(tools, { recursive: true }))
    symlinkSync(execFileSync('which', ['taskset'], { encoding: 'utf8' }).trim(), join(tools, 'taskset'))
    vi.stubEnv('PATH', tools)
    onTestFinished(() => void vi.unstubAllEnvs())
    const logger = createLogger('test', 'silent')
    const warn = vi.spyOn(logger, 'warn')
    const unbound = await start({ cpu: { instances: 1, threads: 1 } }, { readTopology: twoNodes, logger })
    expect(warn).toHaveBeenCalledWith(
      { code: 'MEMORY_UNBOUND', model: 'sum', planned: [first] },
      expect.stringMatching(/allow it set_mempolicy \(in a container by CAP_SYS_NICE/),
    )
    expect((await planOf(unbound)).warnings).toContainEqual({
      code: 'MEMORY_UNBOUND',
      message: expect.stringMatching(/another node than 0: numactl is missing/),
    })
    expect(await instanceOf(unbound)).toMatchObject({ memoryBound: false, affinity: 'verified' })
    const codesWith = async (allowedMemoryNodes: number[]) => {
      const readTopology = () => machine({ allowedMemoryNodes })
      return codesOf(await start({ cpu: { instances: 1, threads: 1 } }, { readTopology }))
    }
    expect(await codesWith([0])).not.toContain('MEMORY_UNBOUND')
    // a node of memory alone, as CXL has it
    expect(await codesWith([0, 1])).toContain('MEMORY_UNBOUND')
  })
})
