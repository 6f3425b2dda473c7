import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { createRegistry } from '../../runtime/metrics-registry.ts'
import { PlanError } from './plan-error.ts'
import type { Topology } from './topology.ts'
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
