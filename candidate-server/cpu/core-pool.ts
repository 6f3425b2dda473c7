import type { PlannedInstance } from './cpu-plan.ts'
import { PlanError } from './plan-error.ts'
import type { Core, Topology } from './topology.ts'

export interface FreeCore {
  cpu: number
  node: number | null
  capacity: number
}

/** The cores that a plan can assign. */
export interface CorePool {
  /** Allowed cores with their allowed siblings, fastest first. */
  cores: Core[]
  /** How many cores may be busy at once. */
  limit: number
  /** Cores that one instance may combine, which share a NUMA node and a speed; fastest group first. */
  groups: FreeCore[][]
  /** Whether the front can be busy at the same time as all instances: a CPU and quota are left for it. */
  frontFits: boolean
}

/**
 * Throws a `PlanError` if nothing is left. With `straddle`, an instance may combine cores of different nodes and
 * speeds.
 */
export function poolCores(topology: Topology, straddle: boolean): CorePool {
  const cores = allowedCores(topology)
  const limit = Math.min(cores.length, quotaCores(topology.quotaCpus))
  const cpus = cores.reduce((sum, { siblings }) => sum + siblings.length, 0)
  return {
    cores,
    limit,
    groups: groupCores(cores, straddle),
    frontFits: limit + 1 <= Math.min(cpus, topology.quotaCpus ?? cpus),
  }
}

/** How many instances of this many threads fit into the groups. */
export const slots = (groups: FreeCore[][], threads: number) =>
  groups.reduce((sum, group) => sum + Math.floor(group.length / threads), 0)

export function instanceOn(cores: FreeCore[], memoryNodes: number[] | null): PlannedInstance {
  const own = new Set(cores.map(({ node }) => node))
  const node = own.size === 1 ? cores[0]!.node : null
  return {
    cpus: cores.map(({ cpu }) => cpu),
    threads: cores.length,
    memoryNode: node !== null && (memoryNodes?.includes(node) ?? true) ? node : null,
  }
}

/** Fastest first. Siblings that are not allowed are dropped. Throws a `PlanError` if no core is left. */
export function allowedCores(topology: Topology): Core[] {
  const allowed = new Set(topology.allowedCpus)
  const cores = topology.cores
    .map((core) => ({ ...core, siblings: core.siblings.filter((cpu) => allowed.has(cpu)) }))
    .filter(({ siblings }) => siblings.length > 0)
    .sort((a, b) => b.capacity - a.capacity || a.siblings[0]! - b.siblings[0]!)
  if (cores.length === 0) {
    throw new PlanError('NO_CORES', 'affinity and cpuset leave this process no online CPU; widen one of them')
  }
  return cores
}

/** Rounds down: a fraction of a CPU cannot run a thread without throttling. */
function quotaCores(quotaCpus: number | null): number {
  return quotaCpus === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(quotaCpus))
}

function groupCores(cores: Core[], straddle: boolean): FreeCore[][] {
  const groups = Map.groupBy(cores, ({ node, capacity }) => (straddle ? '' : `${capacity} ${node}`))
  return [...groups.values()].map((group) =>
    group.map(({ siblings, node, capacity }) => ({ cpu: siblings[0]!, node, capacity })),
  )
}
