import type { Throughput } from './side.ts'

/** The message that starts a measurement in a loop process, which answers with a `Throughput`. */
export interface LoopRound {
  durationMs: number
}

/** Several processes at once form one side: their rates add up. */
export function together(parts: readonly Throughput[]): Throughput {
  return {
    rowsPerSecond: parts.reduce((sum, part) => sum + part.rowsPerSecond, 0),
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
    latenciesMs: parts.flatMap((part) => part.latenciesMs),
    errors: parts.reduce((sum, part) => sum + part.errors, 0),
    answer: parts[0]!.answer,
  }
}
