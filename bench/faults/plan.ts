import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Fault } from './faults.ts'

export const connections = 32
export const requestsPerSecond = 300
export const requestBytes = [2048]
export const patienceMs: Milliseconds = 5000
export const warmUpRequestsPerSecond = 1000

export interface FaultPlan {
  /** Of each mirror, not counted: just-in-time compilers and caches. */
  warmUpMs: Milliseconds
  /** Of each of the two mirrors. */
  rounds: number
  durationMs: Milliseconds
}

export function faultsPlan({ lasts }: Fault, quick: boolean): FaultPlan {
  if (lasts === 'long') return { warmUpMs: quick ? 500 : 3000, rounds: 1, durationMs: quick ? 3000 : 60_000 }
  return quick ? { warmUpMs: 500, rounds: 1, durationMs: 1000 } : { warmUpMs: 3000, rounds: 7, durationMs: 5000 }
}
