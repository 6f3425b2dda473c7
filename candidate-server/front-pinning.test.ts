/**
 * Where the kernel says the service's own process runs. The service is spawned, because the test's process must not be
 * pinned.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { formatCpuList } from './cpu/cpu-list.ts'
import { readTopology } from './cpu/topology.ts'
import { call, spawnServer, testModel } from './testing/start-test-server.ts'
import { masksOf, taskset } from './testing/thread-masks.ts'

const allowed = readTopology().allowedCpus
const [first, second] = allowed as [number, number]
const hasTwo = allowed.length >= 2

const planOf = async ({ url }: { url: string }) => (await call(`${url}/plan`)).body
const instanceOf = async (server: { url: string }) => (await planOf(server)).instances[0]
const metricsOf = async ({ url }: { url: string }) => String((await call(`${url}/metrics`)).body)

/** Whether a cpuset can be created here: needs root and cgroup v1. */
const cpusets = '/sys/fs/cgroup/cpuset'
const mayMakeCpusets = (() => {
  try {
    accessSync(join(cpusets, 'cpuset.cpus'))
    accessSync(cpusets, constants.W_OK)
    return true
  } catch {
    return false
  }
})()

describe.runIf(mayMakeCpusets && allowed.length === 2)('a cpuset', () => {
  test('that shrinks and grows again takes the instances and the front with it', async () => {
    const cpuset = join(cpusets, `understudy-test-${process.pid}`)
    const set = (cpus: readonly number[]) => writeFileSync(join(cpuset, 'cpuset.cpus'), formatCpuList(cpus))
    mkdirSync(cpuset)
    onTestFinished(() =>
      waitFor(
        'the cpuset to be empty',
        () => tryRemove(cpuset),
        (removed) => removed === true,
      ).then(() => undefined),
    )
    set(allowed)
    writeFileSync(join(cpuset, 'cpuset.mems'), readFileSync(join(cpusets, 'cpuset.mems')))
    const { child, ...server } = await spawnServer(frontConfig(1))
    for (const pid of [child.pid, (await instanceOf(server)).pid]) {
      writeFileSync(join(cpuset, 'cgroup.procs'), String(pid))
    }
    const planned = (usable: readonly number[], front: readonly number[]) =>
      waitFor(
        'the plan',
        () => planOf(server),
        ({ usableCores, frontCpus, frontAffinity, instances }) =>
          isDeepStrictEqual([usableCores, frontCpus], [usable, front]) &&
          frontAffinity === (front.length > 0 ? 'verified' : null) &&
          instances[0].affinity === 'verified',
      )
    await planned([first, second], [second])
    for (const left of [[first], [second]]) {
      set(left)
      await planned(left, [])
      set(allowed)
      await planned([first, second], [second])
    }
    expect(masksOf(child.pid!)).toEqual([String(second)])
  })
})

function tryRemove(folder: string): true | Error {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return error as Error
  }
}

const frontConfig = (instances: number, adapter = 'tensor') => `
candidateServer:
  listen: 127.0.0.1:0
  cpu: { instances: ${instances}, threads: 1, watch: 100ms }
  models:
    - { name: sum, path: ${testModel('sum')}, adapter: ${adapter} }
`

const adapter = `
export const toTensors = (request) => ({ a: { shape: [1, 2], data: [1, 1] }, b: { shape: [1, 2], data: [2, 2] } })
export const toResponse = () => ({ pid: process.pid })
`

describe.runIf(hasTwo)('the front', () => {
  async function spawned(instances: number) {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-front-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'adapter.ts')
    writeFileSync(path, adapter)
    const { child, ...server } = await spawnServer(frontConfig(instances, path))
    return {
      ...server,
      child,
      pid: child.pid!,
      path,
      modulePid: (await call(`${server.url}/predictions/sum`, {})).body.pid,
    }
  }

  test('and the processes it starts for modules are kept off the instances’ cores', async () => {
    const server = await spawned(1)
    const { frontCpus, frontAffinity, usableCores } = await planOf(server)
    const instance = await instanceOf(server)
    expect(frontCpus).toEqual(allowed.filter((cpu) => !instance.cpus.includes(cpu)))
    expect(frontAffinity).toBe('verified')
    const [its, rest] = [instance.cpus, frontCpus].map(formatCpuList)
    expect(masksOf(instance.pid)).toEqual([its])
    const pids = [server.pid, server.modulePid]
    expect(pids.map(masksOf)).toEqual([[rest], [rest]])

    for (const pid of pids) taskset('-a', '-c', '-p', formatCpuList(allowed), String(pid))
    await waitFor(
      'the front to be moved back',
      () => metricsOf(server),
      (text) => /moved_back_total\{kind="front",result="moved back"\} [1-9]/.test(text),
    )
    await waitFor(
      'the front to be verified',
      () => planOf(server),
      (plan) => plan.frontAffinity === 'verified',
    )
    expect(pids.map(masksOf)).toEqual([[rest], [rest]])
    // the CPUs it may use are not the ones it is pinned to
    expect(await planOf(server)).toMatchObject({ usableCores, instances: [{ pid: instance.pid }] })

    process.kill(instance.pid, 'SIGKILL')
    const back = await waitFor(
      'another instance',
      () => instanceOf(server),
      ({ restarts, mode }) => restarts === 1 && mode === 'idle',
    )
    expect(back.affinity).toBe('verified')
    expect(masksOf(back.pid)).toEqual([its])
  })

  test('goes on and looks again after a look at the CPUs has run out of file descriptors', async () => {
    const { child, ...server } = await spawnServer(frontConfig(1))
    const descriptors = (most: number) => execFileSync('prlimit', [`--pid=${child.pid}`, `--nofile=${most}:`])
    await metricsOf(server)
    descriptors(3)
    // over an existing connection
    await waitFor(
      'two failed moves',
      () => metricsOf(server),
      (text) => Number(/cpu_changes_total\{result="failed"\} (\d+)/.exec(text)![1]) >= 2,
    )
    descriptors(1024)
    taskset('-a', '-c', '-p', formatCpuList(allowed), String(child.pid))
    await waitFor(
      'the front to be moved back',
      () => metricsOf(server),
      (text) => /moved_back_total\{kind="front",result="moved back"\} [1-9]/.test(text),
    )
  })

  test.runIf(allowed.length === 2)('is not pinned while the instances need every core', async () => {
    const server = await spawned(2)
    const everywhere = formatCpuList([first, second])
    expect(await planOf(server)).toMatchObject({ frontCpus: [], frontAffinity: null })
    expect(masksOf(server.pid)).toEqual([everywhere])
    const reload = async (instances: number) => {
      writeFileSync(server.config, frontConfig(instances, server.path))
      server.child.kill('SIGHUP')
      await waitFor(
        `${instances} instances`,
        () => planOf(server),
        (plan) => plan.instances.length === instances && plan.frontAffinity === (instances === 1 ? 'verified' : null),
      )
    }
    await reload(1)
    expect(masksOf(server.pid)).toEqual([String(second)])
    await reload(2)
    await waitFor(
      'the old masks',
      () => masksOf(server.pid).join(),
      (masks) => masks === everywhere,
    )
    expect((await planOf(server)).usableCores).toEqual([first, second])
  })
})
