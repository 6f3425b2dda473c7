import type { CandidateServerConfig } from '../config.ts'
import { type ModelsPlan, planModels } from '../cpu/plan-models.ts'
import type { Topology } from '../cpu/topology.ts'

/** Where the instances of all models of a config stand. Throws a `PlanError` where they cannot. */
export const planConfig = (
  topology: Topology,
  { cpu, models }: Pick<CandidateServerConfig, 'cpu' | 'models'>,
): ModelsPlan =>
  planModels(
    topology,
    cpu,
    models.map(({ name, instances, threads, dispatch }) => ({ name, instances, threads, groups: dispatch?.groups })),
  )
