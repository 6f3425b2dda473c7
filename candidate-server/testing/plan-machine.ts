/** For tests: plans on a machine that is not here. */
import type { CpuPlan } from '../cpu/cpu-plan.ts'
import { type PlanRequest, planCpus } from '../cpu/plan.ts'
import type { PlanError } from '../cpu/plan-error.ts'
import { readTopology } from '../cpu/topology.ts'
import { type FakeMachine, writeSysroot } from './fake-sysroot.ts'

const auto: PlanRequest = { instances: 'auto', threads: 'auto' }

export const plan = (machine: FakeMachine, request: PlanRequest = auto): CpuPlan =>
  planCpus(readTopology({ sysroot: writeSysroot(machine) }), request)

/** The error that refuses the request; throws if a plan was made. */
export function problemOf(machine: FakeMachine, request: PlanRequest): PlanError {
  try {
    plan(machine, request)
  } catch (error) {
    return error as PlanError
  }
  throw new Error('a plan was made')
}

export const cpusOf = ({ instances }: CpuPlan) => instances.map(({ cpus }) => cpus)
export const codesOf = ({ warnings }: CpuPlan) => warnings.map(({ code }) => code)
