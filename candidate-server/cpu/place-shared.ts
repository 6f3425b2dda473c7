import { type CorePool, type FreeCore, instanceOn } from './core-pool.ts'
import type { Demand, PlannedInstance } from './cpu-plan.ts'

/**
 * Places the instances of models that fit one at a time but not together, on at most `limit` cores. Each goes where the
 * fewest threads are, so that no core is idle beside a crowded one, and apart from its own model's other instances if
 * possible. Returns one list of instances per demand per model.
 */
export function placeShared(
  pool: CorePool,
  models: readonly (readonly Demand[])[],
  limit: number,
  memoryNodes: number[] | null,
): PlannedInstance[][][] {
  /** Number of threads on each CPU in use. */
  const load = new Map<number, number>()
  const placed: PlannedInstance[][][] = models.map((demands) => demands.map(() => []))
  const widest = models
    .flatMap((demands, model) => demands.map((demand, group) => ({ ...demand, model, group })))
    .sort((a, b) => b.threads - a.threads)
  for (const { instances, threads, model, group } of widest) {
    for (let i = 0; i < instances; i++) {
      const own = new Set(placed[model]!.flat().flatMap(({ cpus }) => cpus))
      const apart = pool.groups.map((cores) => cores.filter(({ cpu }) => !own.has(cpu)))
      // the first and widest instance fitted into a group, so every other one finds room at least there
      const cores = leastLoaded(apart, threads, load, limit) ?? leastLoaded(pool.groups, threads, load, limit)!
      for (const { cpu } of cores) load.set(cpu, (load.get(cpu) ?? 0) + 1)
      placed[model]![group]!.push(instanceOn(cores, memoryNodes))
    }
  }
  return placed.map((demands) => demands.map((instances) => instances.sort((a, b) => a.cpus[0]! - b.cpus[0]!)))
}

/**
 * Among equally loaded groups, prefers the fastest and then the node with the most idle cores, like `place` in plan.ts.
 */
function leastLoaded(
  groups: readonly FreeCore[][],
  threads: number,
  load: ReadonlyMap<number, number>,
  limit: number,
): FreeCore[] | undefined {
  const loadOf = ({ cpu }: FreeCore) => load.get(cpu) ?? 0
  const choices = groups.flatMap((group) => {
    const idle = group.filter((core) => loadOf(core) === 0).slice(0, limit - load.size)
    const busy = group.filter((core) => loadOf(core) > 0).sort((a, b) => loadOf(a) - loadOf(b))
    const cores = [...idle, ...busy].slice(0, threads).sort((a, b) => a.cpu - b.cpu)
    const total = cores.reduce((sum, core) => sum + loadOf(core), 0)
    return cores.length === threads ? [{ cores, total, idle: idle.length, capacity: cores[0]!.capacity }] : []
  })
  const [best] = choices.sort((a, b) => a.total - b.total || b.capacity - a.capacity || b.idle - a.idle)
  return best?.cores
}
