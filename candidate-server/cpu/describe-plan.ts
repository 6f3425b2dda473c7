import { formatCpuList } from './cpu-list.ts'
import type { CpuPlan, PlannedInstance } from './cpu-plan.ts'

/** The plan in readable form, one fact per line; for several models, each instance shows its model. */
export function describePlan(plan: CpuPlan, instances: readonly (PlannedInstance & { model?: string })[]): string {
  const quota = plan.quotaCpus === null ? 'no CPU quota' : `CPU quota ${plan.quotaCpus}`
  return [
    `usable cores  ${formatCpuList(plan.usableCores)} (${plan.usableCores.length}; SMT ${plan.smt}; ${quota})`,
    ...instances
      .toSorted((a, b) => a.cpus[0]! - b.cpus[0]!)
      .map(
        ({ model, cpus, threads, memoryNode }, i) =>
          `${`instance ${i}`.padEnd(14)}${model === undefined ? '' : `${model}: `}CPUs ${formatCpuList(cpus)}, ${threads} thread${threads === 1 ? '' : 's'}, ${memoryNode === null ? 'memory of any node' : `memory of node ${memoryNode}`}`,
      ),
    `front         ${plan.frontCpus.length === 0 ? 'shares the CPUs above' : `CPUs ${formatCpuList(plan.frontCpus)}`}`,
    ...plan.warnings.map(({ code, message }) => `warning       ${code}: ${message}`),
  ].join('\n')
}
