export interface PlanWarning {
  code:
    | 'IDLE_CORES'
    | 'QUOTA_THROTTLING'
    | 'SMT_UNVERIFIABLE'
    | 'HYBRID_CORES'
    | 'CORES_SHARED'
    | 'UNPINNED'
    | 'MEMORY_UNBOUND'
    | 'AFFINITY_DIFFERS'
    | 'ALLOCATOR_MISSING'
    | 'HUGE_PAGES_OFF'
    | 'INT8_WITHOUT_VNNI'
    | 'CPUS_CHANGED'
  message: string
}

export type SmtState = 'off' | 'on' | 'unverifiable'

export interface PlannedInstance {
  cpus: number[]
  threads: number
  memoryNode: number | null
}

/** What `understudy plan --json` prints, and the server tells at `/plan` with more of each instance. */
export interface CpuPlanJson {
  /** One logical CPU of each physical core that the plan may use, ascending. */
  usableCores: number[]
  smt: SmtState
  quotaCpus: number | null
  instances: PlannedInstance[]
  warnings: PlanWarning[]
}

export interface CpuPlan extends CpuPlanJson {
  /** What the instances leave for the front process: idle cores, the siblings of theirs. May be empty. */
  frontCpus: number[]
}

/** So many instances of so many threads each. */
export interface Demand {
  instances: number
  threads: number
}
