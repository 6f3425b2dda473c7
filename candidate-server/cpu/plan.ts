import { type CorePool, type FreeCore, instanceOn, poolCores, slots } from './core-pool.ts'
import type { CpuPlan, CpuPlanJson, Demand, PlannedInstance, SmtState } from './cpu-plan.ts'
import { placeShared } from './place-shared.ts'
import { PlanError } from './plan-error.ts'
import { idleWarning, placementWarnings } from './plan-warnings.ts'
import type { Topology } from './topology.ts'

export interface PlanRequest {
  instances: number | 'auto'
  threads: number | 'auto'
  /** Lets an instance span NUMA nodes and cores of different speeds; its memory is then not bound to a node. */
  straddleNuma?: boolean
}

/**
 * Assigns physical cores, one thread per core. If both counts are `auto`, makes as many one-thread instances as there
 * are cores (for the most requests per second), less one core for the front if there are four or more and the front has
 * no spare sibling or no quota. `auto` threads use only the fastest cores on which all instances fit. Throws a
 * `PlanError` if the request does not fit.
 */
export function planCpus(topology: Topology, request: PlanRequest): CpuPlan {
  const pool = poolCores(topology, request.straddleNuma ?? false)
  const reserved = coresForFront(pool, request)
  const demand = settleCounts(request, pool.limit - reserved, pool.groups)
  const placed = place(pool, [demand], topology.allowedMemoryNodes).flat()
  return planOf({ topology, pool, demands: [demand], placed, reserved })
}

/** Plans instances of several sizes together: one list of instances per demand. Throws a `PlanError`. */
export function planDemands(
  topology: Topology,
  demands: readonly Demand[],
  straddleNuma = false,
): { plan: CpuPlan; placed: PlannedInstance[][] } {
  const pool = poolCores(topology, straddleNuma)
  const asked = threadsOf(demands)
  if (asked > pool.limit) throw tooManyThreads(sumOf(demands), asked, pool.limit)
  const placed = place(pool, demands, topology.allowedMemoryNodes)
  return { plan: planOf({ topology, pool, demands, placed: placed.flat(), reserved: 0 }), placed }
}

/**
 * Plans the instances of several models that fit one at a time but not together: one list of instances per demand per
 * model. `request` is what all of them ask for, if none has counts of its own.
 */
export function planShared(
  topology: Topology,
  models: readonly (readonly Demand[])[],
  request: PlanRequest | undefined,
  straddleNuma = false,
): { plan: CpuPlan; placed: PlannedInstance[][][] } {
  const pool = poolCores(topology, straddleNuma)
  const reserved = request ? coresForFront(pool, request) : 0
  const placed = placeShared(pool, models, pool.limit - reserved, topology.allowedMemoryNodes)
  return { plan: planOf({ topology, pool, demands: models.flat(), placed: placed.flat(2), reserved }), placed }
}

/** The CPUs that a process may use and no instance occupies. */
export function frontCpusOf({ allowedCpus }: Topology, instances: readonly PlannedInstance[]): number[] {
  const used = new Set(instances.flatMap(({ cpus }) => cpus))
  return allowedCpus.filter((cpu) => !used.has(cpu))
}

export function planJson({ usableCores, smt, quotaCpus, instances, warnings }: CpuPlan): CpuPlanJson {
  return { usableCores, smt, quotaCpus, instances, warnings }
}

const coresForFront = ({ frontFits, limit }: CorePool, { instances, threads }: PlanRequest) =>
  instances === 'auto' && threads === 'auto' && !frontFits && limit >= 4 ? 1 : 0

const threadsOf = (demands: readonly Demand[]) =>
  demands.reduce((sum, { instances, threads }) => sum + instances * threads, 0)

/** For example `2 instance(s) × 1 thread(s) + 1 instance(s) × 4 thread(s)`. */
const sumOf = (demands: readonly Demand[]) =>
  demands.map(({ instances, threads }) => `${instances} instance(s) × ${threads} thread(s)`).join(' + ')

interface Placement {
  topology: Topology
  pool: CorePool
  demands: readonly Demand[]
  placed: PlannedInstance[]
  /** Cores left for the front. */
  reserved: number
}

function planOf({ topology, pool, demands, placed, reserved }: Placement): CpuPlan {
  const instances = placed.toSorted((a, b) => a.cpus[0]! - b.cpus[0]!)
  const used = new Set(instances.flatMap(({ cpus }) => cpus))
  const unused = pool.cores.map(({ siblings }) => siblings[0]!).filter((cpu) => !used.has(cpu))
  const usable = [...used, ...unused.slice(0, pool.limit - used.size)].sort((a, b) => a - b)
  const smt = smtState(topology)
  return {
    usableCores: usable,
    smt,
    quotaCpus: topology.quotaCpus,
    instances,
    warnings: [
      ...idleWarning(demands, used.size, pool.limit - reserved, pool.groups),
      ...placementWarnings(topology, smt, pool.cores, instances),
    ],
    frontCpus: frontCpusOf(topology, instances),
  }
}

function tooManyThreads(what: string, asked: number, cores: number): PlanError {
  return new PlanError(
    'TOO_MANY_THREADS',
    `${what} need ${asked} cores and there are ${cores} (physical cores within affinity, cpuset and CPU quota); ` +
      'lower instances or threads, or give the process more CPUs',
  )
}

function settleCounts(request: PlanRequest, budget: number, groups: FreeCore[][]): Demand {
  const { instances, threads } = request
  if (instances === 'auto' && threads === 'auto') return { instances: budget, threads: 1 }

  const least = { instances: instances === 'auto' ? 1 : instances, threads: threads === 'auto' ? 1 : threads }
  if (threadsOf([least]) > budget) throw tooManyThreads(sumOf([least]), threadsOf([least]), budget)
  if (threads === 'auto') return autoThreads(least.instances, budget, groups)
  if (instances !== 'auto') return least
  const fitting = Math.min(Math.floor(budget / threads), slots(groups, threads))
  return { instances: Math.max(1, fitting), threads }
}

/**
 * Chooses the fewest threads that make the slowest instance as fast as possible. Mixes cores of different speeds only
 * if no number of threads puts all instances on equal ones.
 */
function autoThreads(instances: number, budget: number, groups: FreeCore[][]): Demand {
  const layouts: { threads: number; alike: boolean; speed: number }[] = []
  for (let threads = 1; threads * instances <= budget; threads++) {
    // in the order `place` uses, fastest groups first
    const speeds = groups
      .flatMap((group) => Array<number>(Math.floor(group.length / threads)).fill(group[0]!.capacity))
      .slice(0, instances)
    if (speeds.length < instances) continue
    layouts.push({ threads, alike: speeds[0] === speeds.at(-1), speed: threads * speeds.at(-1)! })
  }
  const alike = layouts.filter((layout) => layout.alike)
  const best = (alike.length > 0 ? alike : layouts).reduce((one, other) => (other.speed > one.speed ? other : one))
  return { instances, threads: best.threads }
}

/**
 * Each instance goes to the fastest cores with room and, among those, to the node with the most free cores, so that few
 * instances share its memory bandwidth. If that leaves no room for one of them, each goes where it leaves least.
 */
function place(pool: CorePool, demands: readonly Demand[], memoryNodes: number[] | null): PlannedInstance[][] {
  const byFit = (a: FreeCore[], b: FreeCore[]) => a.length - b.length
  const bySpeedAndRoom = (a: FreeCore[], b: FreeCore[]) => b[0]!.capacity - a[0]!.capacity || b.length - a.length
  for (const order of [bySpeedAndRoom, byFit]) {
    const placed = placeInOrder(order, pool, demands, memoryNodes)
    if (placed) return placed
  }
  throw straddles(demands, pool.groups)
}

/** Places the widest instances first, since they are the hardest to fit; `undefined` if there is no room for one. */
function placeInOrder(
  order: (a: FreeCore[], b: FreeCore[]) => number,
  { groups }: CorePool,
  demands: readonly Demand[],
  memoryNodes: number[] | null,
): PlannedInstance[][] | undefined {
  const free = groups.map((group) => [...group])
  const placed: PlannedInstance[][] = demands.map(() => [])
  const widest = demands.map((demand, d) => ({ ...demand, d })).sort((a, b) => b.threads - a.threads)
  for (const { instances, threads, d } of widest) {
    for (let i = 0; i < instances; i++) {
      const [best] = free.filter((group) => group.length >= threads).sort(order)
      if (!best) return undefined
      placed[d]!.push(instanceOn(best.splice(0, threads), memoryNodes))
    }
  }
  return placed
}

function straddles(demands: readonly Demand[], groups: FreeCore[][]): PlanError {
  const sizes = groups.map((group) => group.length).join(' + ')
  return new PlanError(
    'NUMA_STRADDLE',
    `${sumOf(demands)} do not fit into the cores of each NUMA node and speed (${sizes}) without an instance that spans ` +
      `two; lower threads (${Math.max(...groups.map((group) => group.length))} at most), or set straddleNuma: true`,
  )
}

function smtState(topology: Topology): SmtState {
  if (topology.cores.some(({ siblings }) => siblings.length > 1)) return 'on'
  return topology.hypervisor !== false || !topology.siblingsKnown ? 'unverifiable' : 'off'
}
