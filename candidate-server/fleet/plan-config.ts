import type { CandidateServerConfig } from '../config.ts'
import type { CpuPlan } from '../cpu/cpu-plan.ts'
import { planModels } from '../cpu/plan-models.ts'
import type { Topology } from '../cpu/topology.ts'
import type { Placement } from '../instance/pinned-instance.ts'

/** Plans where the instances of all models in a config run. Throws a `PlanError` if they do not fit. */
export function planConfig(
  topology: Topology,
  { cpu, models }: Pick<CandidateServerConfig, 'cpu' | 'models'>,
): { plan: CpuPlan; instances: Placement[] } {
  const demands = models.map(({ name, instances, threads, dispatch }) => ({
    name,
    instances,
    threads,
    groups: dispatch?.groups,
  }))
  const { plan, instances } = planModels(topology, cpu, demands)
  return {
    plan,
    instances: instances.map(({ shared, ...place }) => ({
      ...place,
      spinning: spinningOf(cpu.spinning, place.threads, shared),
    })),
  }
}

/**
 * A thread that spins between runs takes CPU time from the front, which has to bring the next run: INT8 ResNet-50 with
 * two threads answers 5 % more without it. Within a run, spinning is worth its cost. A single thread waits for no other.
 */
function spinningOf(asked: 'auto' | boolean, threads: number, shared: boolean): Placement['spinning'] {
  if (threads === 1) return 'never'
  if (asked === 'auto') return shared ? 'never' : 'withinRuns'
  return asked ? 'always' : 'never'
}
