import type { CandidateServerConfig } from '../config.ts'
import { type ModelsPlan, planModels } from '../cpu/plan-models.ts'
import type { Topology } from '../cpu/topology.ts'

/** Plans where the instances of all models in a config run. Throws a `PlanError` if they do not fit. */
export const planConfig = (
  topology: Topology,
  { cpu, models }: Pick<CandidateServerConfig, 'cpu' | 'models'>,
): ModelsPlan =>
  planModels(
    topology,
    cpu,
    models.map(({ name, instances, threads, dispatch }) => ({ name, instances, threads, groups: dispatch?.groups })),
  )
