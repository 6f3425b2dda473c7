import { expect, test } from 'vitest'
import { Random } from '../../test/fuzz/random.ts'
import { type FakeMachine, range, singleThreaded, writeSysroot } from '../testing/fake-sysroot.ts'
import type { PlanRequest } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { type ModelDemand, planModels } from './plan-models.ts'
import { readTopology } from './topology.ts'

const count = (random: Random) => random.int(1, 4)

/** One to twelve cores on one or two nodes, some with a quota. */
function machineOf(random: Random): FakeMachine & { nodes: number[][] } {
  const cores = random.int(1, 12)
  const half = Math.ceil(cores / 2)
  const nodes = cores > 1 && random.chance(0.5) ? [range(0, half), range(half, cores)] : [range(0, cores)]
  const quota = `${random.int(1, cores) * 100_000} 100000`
  return {
    cores: singleThreaded(cores),
    nodes,
    files: random.chance(0.3) ? { 'sys/fs/cgroup/cpu.max': quota } : {},
  }
}

function modelOf(random: Random, name: string): ModelDemand {
  if (random.chance(0.2)) {
    const groups = range(0, random.int(1, 3)).map(() => ({ instances: random.int(1, 2), threads: random.int(1, 3) }))
    return { name, groups }
  }
  const own = () => (random.chance(0.3) ? count(random) : undefined)
  return { name, instances: own(), threads: own() }
}

const isSet = (count: number | 'auto' | undefined) => count !== undefined && count !== 'auto'

test.each(range(0, 20))(
  'whatever models share a machine, each gets what it asks for, within bounds: seed %i',
  (seed) => {
    const random = new Random(seed)
    const machine = machineOf(random)
    const topology = readTopology({ sysroot: writeSysroot(machine) })
    const limit = Math.min(machine.cores.length, topology.quotaCpus ?? machine.cores.length)
    for (let turn = 0; turn < 100; turn++) {
      const orAuto = () => (random.chance(0.5) ? 'auto' : count(random))
      const request: PlanRequest = { instances: orAuto(), threads: orAuto() }
      const models = range(0, random.int(1, 5)).map((i) => modelOf(random, `m${i}`))
      const what = JSON.stringify({ machine, request, models })
      const planned = planOrRefusal(() => planModels(topology, request, models))
      if (!planned) continue
      const { plan, instances } = planned
      const standing = Map.groupBy(
        instances.flatMap(({ cpus }) => cpus),
        (cpu) => cpu,
      )
      for (const { cpus, threads, shared } of instances) {
        expect(new Set(cpus).size, what).toBe(threads)
        expect(
          machine.nodes.some((node) => cpus.every((cpu) => node.includes(cpu))),
          what,
        ).toBe(true)
        expect(shared, what).toBe(cpus.some((cpu) => standing.get(cpu)!.length > 1))
      }
      for (const { name, groups, instances: own, threads } of models) {
        const mine = instances.filter(({ model }) => model === name)
        const demand = { instances: own ?? request.instances, threads: threads ?? request.threads }
        expect(mine.length, what).toBeGreaterThan(0)
        if (groups) expect(mine.length, what).toBe(groups.reduce((sum, group) => sum + group.instances, 0))
        else {
          if (isSet(demand.instances)) expect(mine.length, what).toBe(demand.instances)
          if (isSet(demand.threads))
            expect(new Set(mine.map(({ threads }) => threads)), what).toEqual(new Set([demand.threads]))
        }
      }
      expect(standing.size, what).toBeLessThanOrEqual(limit)
      expect(plan.instances.length, what).toBe(instances.length)
      // one core may be left for the front
      const leftIdle = instances.some(({ shared }) => shared) && machine.nodes.length === 1 ? limit - standing.size : 0
      expect(leftIdle, what).toBeLessThanOrEqual(1)
    }
  },
)

/** `undefined` if a model does not fit by itself. */
function planOrRefusal<Plan>(make: () => Plan): Plan | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof PlanError) return undefined
    throw error
  }
}
