export const planErrors = {
  TOPOLOGY_UNREADABLE: 'the CPU topology cannot be read',
  NO_CORES: 'no CPU is left after affinity and cpuset',
  TOO_MANY_THREADS: 'instances × threads is more than the cores',
  NUMA_STRADDLE: 'an instance would straddle NUMA nodes',
} as const
export type PlanErrorCode = keyof typeof planErrors

/** No plan fits; the message says why and what to do. */
export class PlanError extends Error {
  readonly code: PlanErrorCode

  constructor(code: PlanErrorCode, message: string) {
    super(message)
    this.name = 'PlanError'
    this.code = code
  }
}
