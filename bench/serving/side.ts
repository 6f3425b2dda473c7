/** Something that computes or answers one model. Started anew for every turn, so the spread holds that of processes too. */
export interface ServingSide {
  name: string
  start(): Promise<RunningSide>
}

export interface RunningSide {
  /** Its own and its children's CPU time counts; the clients' does not. */
  pids: number[]
  measure(durationMs: number): Promise<Throughput>
  stop(): Promise<void>
}

/** Of one round. A row is one image, text or vector. */
export interface Throughput {
  rowsPerSecond: number
  /** All that were done, those after the round's end too. */
  rows: number
  /** Of each run of a session, or of each request over HTTP. */
  latenciesMs: number[]
  errors: number
  /** The first elements of the first answer. */
  answer: number[]
  /** Rows in a run of the session, on average; undefined where the side does not tell. */
  batchRows?: number
  /** CPU time of all the side's processes for one row; undefined where there is no /proc. */
  cpuMs?: number
  /** Share of the round that an instance spent in its session; undefined where the side does not tell. */
  inSession?: number
}

export const answerElements = 16
