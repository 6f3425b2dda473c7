import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Fault } from './faults.ts'

export const connections = 32
export const requestsPerSecond = 300
export const requestBytes = [2048]
export const patienceMs: Milliseconds = 5000
/** The highest rate that candidate and comparator keep up with. */
export const warmUpRequestsPerSecond = 4000

const lengths = { durationMs: 1200, uncountedMs: 200 }

export interface FaultPlan {
  /**
   * Per mirror, not counted. V8 compiles hot functions on threads of its own, here on the mirror's CPU: after 12,000
   * requests each mirror still had about 200 ms of that ahead, after 80,000 about 80 ms.
   */
  warmUpMs: Milliseconds
  /**
   * In each turn, both mirrors are loaded one after the other. Turns are short, so that both meet the same conditions.
   */
  turns: number
  /** Duration of one mirror's load in a turn. */
  durationMs: Milliseconds
  /** How much of its beginning does not count: during the other mirror's turn, caches and CPU clocks have gone cold. */
  uncountedMs: Milliseconds
  /** Maximum including repeats: a turn is repeated if the machine was busy with other work. */
  turnsMax: number
}

export function faultsPlan({ lasts }: Fault, quick: boolean): FaultPlan {
  if (quick) return { warmUpMs: 500, turns: lasts === 'long' ? 3 : 1, turnsMax: 3, ...lengths }
  const turns = lasts === 'long' ? 50 : 30
  return { warmUpMs: 20_000, turns, turnsMax: 2 * turns, ...lengths }
}
