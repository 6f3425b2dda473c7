export interface PlanWarning {
  code:
    | 'IDLE_CORES'
    | 'QUOTA_THROTTLING'
    | 'SMT_UNVERIFIABLE'
    | 'HYBRID_CORES'
    | 'CPUS_ISOLATED'
    | 'CORES_SHARED'
    | 'UNPINNED'
    | 'MEMORY_UNBOUND'
    | 'AFFINITY_DIFFERS'
    | 'ALLOCATOR_MISSING'
    | 'HUGE_PAGES_OFF'
    | 'INT8_WITHOUT_VNNI'
    | 'CPUS_CHANGED'
    | 'CPUS_UNREADABLE'
  message: string
}

export type SmtState = 'off' | 'on' | 'unverifiable'

export interface PlannedInstance {
  cpus: number[]
  threads: number
  memoryNode: number | null
}

/** The output of `understudy plan --json`; the server's `/plan` adds details of each instance. */
export interface CpuPlanJson {
  /** One logical CPU per physical core that the plan may use, ascending. */
  usableCores: number[]
  smt: SmtState
  quotaCpus: number | null
  instances: PlannedInstance[]
  warnings: PlanWarning[]
}

export interface CpuPlan extends CpuPlanJson {
  /** CPUs left for the front process: idle cores and the siblings of used ones. May be empty. */
  frontCpus: number[]
}

/** A number of instances with a number of threads each. */
export interface Demand {
  instances: number
  threads: number
}
