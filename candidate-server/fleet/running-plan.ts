import { formatCpuList } from '../cpu/cpu-list.ts'
import type { PlanWarning } from '../cpu/cpu-plan.ts'
import type { FrontPinning } from '../cpu/front-pinning.ts'
import { planJson } from '../cpu/plan.ts'
import type { Topology } from '../cpu/topology.ts'
import { hugePageBytes } from '../instance/huge-pages.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { ServedModel } from '../model/served-model.ts'
import type { Fleet } from './fleet.ts'
import { unboundMemory } from './unbound-memory.ts'

/** The plan as it runs: each instance with its process and the affinity the kernel reports. */
export function runningPlan(fleet: Fleet, pinning: FrontPinning | undefined, further: readonly PlanWarning[]) {
  const { plan, topology, config } = fleet.current
  const models = fleet.models.map(({ served }) => served)
  const instances = models.flatMap((served) => served.instances)
  const frontAffinity = pinning?.affinity ?? null
  return {
    ...planJson(plan),
    frontCpus: plan.frontCpus,
    frontAffinity,
    warnings: [
      ...fleet.warnings,
      ...further,
      ...instances.flatMap((instance) => pinningWarning(instance, topology)),
      ...(frontAffinity === 'differs' ? [frontWarning(plan.frontCpus)] : []),
    ],
    instances: models.flatMap((served) =>
      served.instances.map((instance) => describe(served, instance, config.cpu.hugePages)),
    ),
    groups: models.filter(({ groups }) => groups.length > 1).flatMap(describeGroups),
  }
}

function describe({ groups, version }: ServedModel, instance: PinnedInstance, hugePages: boolean) {
  const { placed, pid, launcher } = instance
  return {
    cpus: placed.cpus,
    threads: placed.threads,
    memoryNode: placed.memoryNode,
    model: placed.model,
    version,
    group: groups.length > 1 ? groups[placed.group]!.name : null,
    pid: pid ?? null,
    mode: instance.mode,
    pinnedBy: launcher.kind === 'unpinned' ? null : launcher.kind,
    memoryBound: launcher.kind === 'numactl' && launcher.memoryBound,
    affinity: instance.affinity.kind,
    allocatorConfirmed: instance.allocatorConfirmed,
    hugePageBytes: hugePages && pid !== undefined ? hugePageBytes(pid) : null,
    restarts: instance.restarts,
    recycles: instance.recycles,
    movedBack: instance.movedBack,
    rssBytes: instance.rssBytes,
  }
}

const describeGroups = ({ name: model, groups }: ServedModel) =>
  groups.map(({ name, instances, queue, spilled, statistics }) => ({
    model,
    group: name,
    instances: instances.length,
    queued: queue.length,
    answered: statistics.success.count,
    spilled,
  }))

const frontWarning = (cpus: readonly number[]): PlanWarning => ({
  code: 'AFFINITY_DIFFERS',
  message: `the front, planned on CPUs ${formatCpuList(cpus)}, may run on cores of the instances: taskset is missing, or may not pin it`,
})

function pinningWarning({ affinity, launcher, placed, pid }: PinnedInstance, topology: Topology): PlanWarning[] {
  const planned = `instance ${pid ?? 'that is down'} of ${placed.model}, planned on CPUs ${formatCpuList(placed.cpus)},`
  if (launcher.kind === 'unpinned') {
    return [{ code: 'UNPINNED', message: `${planned} runs anywhere: neither numactl nor taskset works here` }]
  }
  const warnings: PlanWarning[] = []
  if (affinity.kind === 'differs') {
    warnings.push({ code: 'AFFINITY_DIFFERS', message: `${planned} may run on CPUs ${affinity.cpus}` })
  }
  const unbound = unboundMemory(launcher, placed, topology)
  if (unbound) warnings.push({ code: 'MEMORY_UNBOUND', message: `${planned} ${unbound}` })
  return warnings
}
