import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { createRegistry } from '../../runtime/metrics-registry.ts'
import { PlanError } from './plan-error.ts'
import type { CpuLimits, Topology } from './topology.ts'
import { watchCpus } from './watch-cpus.ts'

test('an unreadable file is a warning while it is, and logged once, again if another is, and once when all can be read', async () => {
  const logger = createLogger('test', 'silent')
  const logged: unknown[] = []
  vi.spyOn(logger, 'error').mockImplementation((about) => void logged.push((about as { err: Error }).err.message))
  vi.spyOn(logger, 'info').mockImplementation((text) => void logged.push(text))
  const topology = { allowedCpus: [0], quotaCpus: null } as unknown as Topology
  const looks = ['cpuset', 'cpuset', 'cpuset', 'quota', 'quota', '', '', 'cpuset', '']
  const warned = new Set<string>()
  const all = Promise.withResolvers<void>()
  const registry = createRegistry()
  const watch = watchCpus({
    everyMs: 1,
    read() {
      for (const { code, message } of watch.warnings) warned.add(`${code}: ${message}`)
      const unreadable = looks.shift()
      if (unreadable === undefined) all.resolve()
      if (unreadable) throw new PlanError('TOPOLOGY_UNREADABLE', unreadable)
      return topology
    },
    planned: () => topology,
    replan: () => Promise.reject(new Error('nothing has changed')),
    keepPinned: async () => {},
    registry,
    logger,
  })
  onTestFinished(() => watch.stop())
  await all.promise
  const again = 'the CPUs that this process may use can be read again'
  expect(logged).toEqual(['cpuset', 'quota', again, 'cpuset', again])
  const warning =
    'CPUS_UNREADABLE: which CPUs this process may use cannot be read, so the instances stay where they are:'
  expect([...warned]).toEqual([`${warning} cpuset`, `${warning} quota`])
  expect(watch.warnings).toEqual([])
  // each look counts
  expect(await registry.metrics()).toContain('understudy_candidate_cpu_changes_total{result="failed"} 6')
})

describe('CPUs other than the planned ones', () => {
  const planned: CpuLimits = { allowedCpus: [0, 1], allowedMemoryNodes: null, quotaCpus: null }

  /** At which looks, the first being 1, a move was tried, and how many changes were logged; `limitsAt` is what a look finds. */
  async function triesIn(looks: number, limitsAt: (look: number) => CpuLimits, failure: Error | undefined) {
    const tries: number[] = []
    const logger = createLogger('test', 'silent')
    const changes = vi.spyOn(logger, 'warn')
    const all = Promise.withResolvers<void>()
    let look = 0
    let inForce = planned
    const watch = watchCpus({
      everyMs: 1,
      read: () => limitsAt(++look),
      planned: () => inForce,
      async replan() {
        tries.push(look)
        if (failure) throw failure
        inForce = limitsAt(look)
      },
      async keepPinned() {
        if (look === looks) all.resolve()
      },
      registry: createRegistry(),
      logger,
    })
    await all.promise
    watch.stop()
    return { tries, changes: changes.mock.calls.length, codes: watch.warnings.map(({ code }) => code) }
  }

  test.each<[string, Partial<CpuLimits>]>([
    ['fewer CPUs', { allowedCpus: [0] }],
    ['as many others', { allowedCpus: [0, 2] }],
    ['a quota', { quotaCpus: 1.5 }],
    ['other memory', { allowedMemoryNodes: [0] }],
  ])('are followed once: %s', async (_, change) => {
    const found = await triesIn(6, (look) => (look < 3 ? planned : { ...planned, ...change }), undefined)
    expect(found).toEqual({ tries: [3], changes: 1, codes: [] })
  })

  test.each<[string, Error, number[]]>([
    ['after ever longer pauses where the move failed', new Error('no process'), [1, 2, 4, 8, 16, 21, 22]],
    ['not until they change again where no plan fits', new PlanError('NO_CORES', 'none'), [1, 21]],
  ])('are tried again %s', async (_, failure, tries) => {
    const found = await triesIn(23, (look) => ({ ...planned, allowedCpus: look <= 20 ? [0] : [1] }), failure)
    expect(found).toEqual({ tries, changes: 2, codes: ['CPUS_CHANGED'] })
  })

  test('that become the planned ones again need no move, and no warning remains', async () => {
    const back = (look: number) => (look === 1 ? { ...planned, allowedCpus: [0] } : planned)
    expect(await triesIn(5, back, new Error('no process'))).toEqual({ tries: [1], changes: 1, codes: [] })
  })

  test('are not looked for if the pause between two looks is 0', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    watchCpus({
      everyMs: 0,
      read: () => planned,
      planned: () => planned,
      replan: async () => {},
      keepPinned: async () => {},
      registry: createRegistry(),
      logger: createLogger('test', 'silent'),
    })
    expect(vi.getTimerCount()).toBe(0)
  })
})
