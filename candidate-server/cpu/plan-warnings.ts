import { type FreeCore, slots } from './core-pool.ts'
import { formatCpuList } from './cpu-list.ts'
import type { Demand, PlannedInstance, PlanWarning, SmtState } from './cpu-plan.ts'
import type { Core, Topology } from './topology.ts'

/** Warns if only `used` of `budget` cores are used. `groups` are all groups, since no instance may span two. */
export function idleWarning(
  demands: readonly Demand[],
  used: number,
  budget: number,
  groups: FreeCore[][],
): PlanWarning[] {
  const idle = budget - used
  if (idle <= 0) return []
  const share = Math.round((idle / budget) * 100)
  const [only] = demands as [Demand]
  const better = demands.length === 1 ? Math.min(Math.floor(budget / only.threads), slots(groups, only.threads)) : 0
  const remedy =
    better > only.instances ? `; ${better} instances × ${only.threads} would use ${better * only.threads}` : ''
  const what =
    demands.length === 1 ? `${only.instances} instance(s) × ${only.threads} thread(s)` : 'all instances together'
  return [
    { code: 'IDLE_CORES', message: `${idle} of ${budget} cores (${share} %) stay idle: ${what} use ${used}${remedy}` },
  ]
}

/** What follows from where all instances of a machine are. `cores` are those that a plan can assign. */
export const placementWarnings = (
  topology: Topology,
  smt: SmtState,
  cores: readonly Core[],
  instances: readonly PlannedInstance[],
): PlanWarning[] => [
  ...quotaWarning(topology, instances),
  ...smtWarning(smt, topology, instances),
  ...hybridWarning(cores, instances),
  ...isolatedWarning(topology, instances),
]

/** Assumes the worst case: all instances and the front busy at once. */
function quotaWarning({ quotaCpus, allowedCpus }: Topology, instances: readonly PlannedInstance[]): PlanWarning[] {
  const { threads, cpus } = loadOf(instances)
  const busy = Math.min(cpus + 1, allowedCpus.length)
  if (quotaCpus === null || busy <= quotaCpus) return []
  return [
    {
      code: 'QUOTA_THROTTLING',
      message: `the CPU quota is ${quotaCpus}: ${threads} instance thread(s) on ${cpus} CPUs and the front can use ${busy} CPUs at once and are then throttled until the next period; raise the quota or lower threads`,
    },
  ]
}

/** `instances` are those that share cores with others. */
export function sharedWarning(instances: readonly (PlannedInstance & { model: string })[]): PlanWarning[] {
  if (instances.length === 0) return []
  const models = new Set(instances.map(({ model }) => model)).size
  const { threads, cpus } = loadOf(instances)
  return [
    {
      code: 'CORES_SHARED',
      message: `${models} models with ${threads} thread(s) share ${cpus} core(s) and disturb each other's latency; give the process more CPUs or each model a server of its own`,
    },
  ]
}

const loadOf = (instances: readonly PlannedInstance[]) => ({
  threads: instances.reduce((sum, instance) => sum + instance.threads, 0),
  cpus: new Set(instances.flatMap(({ cpus }) => cpus)).size,
})

function smtWarning(
  smt: SmtState,
  { siblingsKnown, hypervisor }: Topology,
  instances: readonly PlannedInstance[],
): PlanWarning[] {
  const { cpus } = loadOf(instances)
  if (smt !== 'unverifiable' || cpus < 2) return []
  const why = !siblingsKnown
    ? 'the system does not report which CPUs share a core'
    : hypervisor
      ? 'a hypervisor shows one thread per core and may hide SMT'
      : 'there is one thread per core, and no proc/cpuinfo to tell whether a hypervisor hides SMT'
  return [
    {
      code: 'SMT_UNVERIFIABLE',
      message: `${why}: the ${cpus} CPUs of instances may share physical cores in pairs; try half as many threads and compare`,
    },
  ]
}

/** Latency then depends on which instance answers, and a comparison with the primary would show that as noise. */
function hybridWarning(cores: readonly Core[], instances: readonly PlannedInstance[]): PlanWarning[] {
  const capacityOf = new Map(cores.flatMap(({ siblings, capacity }) => siblings.map((cpu) => [cpu, capacity] as const)))
  const fastest = Math.max(...cores.map(({ capacity }) => capacity))
  const slow = instances.filter(({ cpus }) => cpus.some((cpu) => capacityOf.get(cpu)! < fastest)).length
  if (slow === 0) return []
  const fast = cores.filter(({ capacity }) => capacity === fastest).length
  return [
    {
      code: 'HYBRID_CORES',
      message: `${slow} of ${instances.length} instance(s) are on slower cores and answer later than the others; keep instances × threads ≤ ${fast} to stay on the fast ones`,
    },
  ]
}

function isolatedWarning({ isolatedCpus }: Topology, instances: readonly PlannedInstance[]): PlanWarning[] {
  const isolated = instances.map(({ cpus }) => cpus.filter((cpu) => isolatedCpus.includes(cpu)))
  const stuck = isolated.filter((cpus) => cpus.length > 1).flat()
  if (stuck.length === 0) return []
  return [
    {
      code: 'CPUS_ISOLATED',
      message: `CPUs ${formatCpuList([...new Set(stuck)])} are isolated (by isolcpus, an isolated partition, or cgroup v1 without sched_load_balance), so the kernel leaves all threads of an instance on the one CPU where they began; use one thread per instance, or CPUs that are not isolated (a partition of the kind root)`,
    },
  ]
}
