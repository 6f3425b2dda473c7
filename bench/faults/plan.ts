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
  /** Turns in all: where the machine did other things in one it is taken again. */
  turnsMax: number
}

export function faultsPlan({ lasts }: Fault, quick: boolean): FaultPlan {
  if (quick) return { warmUpMs: 500, rounds: 1, turnsMax: 1, durationMs: lasts === 'long' ? 3000 : 1000 }
  return lasts === 'long'
    ? { warmUpMs: 3000, rounds: 1, turnsMax: 2, durationMs: 60_000 }
    : { warmUpMs: 3000, rounds: 11, turnsMax: 25, durationMs: 3000 }
}
