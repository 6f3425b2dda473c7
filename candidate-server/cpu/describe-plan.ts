import { formatCpuList } from './cpu-list.ts'
import type { CpuPlan } from './cpu-plan.ts'

/** The plan for people, one fact a line. */
export function describePlan(plan: CpuPlan): string {
  const quota = plan.quotaCpus === null ? 'no CPU quota' : `CPU quota ${plan.quotaCpus}`
  return [
    `usable cores  ${formatCpuList(plan.usableCores)} (${plan.usableCores.length}; SMT ${plan.smt}; ${quota})`,
    ...plan.instances.map(
      ({ cpus, threads, memoryNode }, i) =>
        `instance ${i}    CPUs ${formatCpuList(cpus)}, ${threads} thread${threads === 1 ? '' : 's'}, ${memoryNode === null ? 'memory of any node' : `memory of node ${memoryNode}`}`,
    ),
    `front         ${plan.frontCpus.length === 0 ? 'shares the CPUs above' : `CPUs ${formatCpuList(plan.frontCpus)}`}`,
    ...plan.warnings.map(({ code, message }) => `warning       ${code}: ${message}`),
  ].join('\n')
}
