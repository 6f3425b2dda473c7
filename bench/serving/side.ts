/**
 * A process that computes or answers one model. Started afresh for every turn, so the spread includes that between
 * processes.
 */
export interface ServingSide {
  name: string
  start(): Promise<RunningSide>
}

export interface RunningSide {
  /** Processes whose CPU time counts, with their children; clients do not count. */
  pids: number[]
  measure(durationMs: number): Promise<Throughput>
  stop(): Promise<void>
}

/** The result of one round. A row is one image, text or vector. */
export interface Throughput {
  rowsPerSecond: number
  /** Everything completed, even after the end of the round. */
  rows: number
  /** Per run of a session, or per request over HTTP. */
  latenciesMs: number[]
  errors: number
  /** The first elements of the first answer. */
  answer: number[]
  /** Average rows per run of the session; undefined if the side does not report it. */
  batchRows?: number
  /** CPU time of all the side's processes per row; undefined if there is no /proc. */
  cpuMs?: number
  /** Share of the round that an instance spent in its session; undefined if the side does not report it. */
  inSession?: number
}

export const answerElements = 16
