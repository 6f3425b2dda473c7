type PlanErrorCode = 'TOPOLOGY_UNREADABLE' | 'NO_CORES' | 'TOO_MANY_THREADS' | 'NUMA_STRADDLE'

/** No plan fits; the message says why and what to do. */
export class PlanError extends Error {
  readonly code: PlanErrorCode

  constructor(code: PlanErrorCode, message: string) {
    super(message)
    this.name = 'PlanError'
    this.code = code
  }
}
