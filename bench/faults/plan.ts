import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Fault } from './faults.ts'

export const connections = 32
export const requestsPerSecond = 300
export const requestBytes = [2048]
export const patienceMs: Milliseconds = 5000
/** As many as candidate and comparator keep up with. */
export const warmUpRequestsPerSecond = 4000

const lengths = { durationMs: 1200, uncountedMs: 200 }

export interface FaultPlan {
  /**
   * Of each mirror, not counted. V8 compiles what is called often on threads of its own, here on the mirror's own CPU:
   * after 12,000 requests each had some 200 ms of that before it, after 80,000 some 80.
   */
  warmUpMs: Milliseconds
  /** In each, both mirrors are loaded, one after the other. Short ones, so that both meet the same moods of the machine. */
  turns: number
  /** Of one mirror's load in a turn. */
  durationMs: Milliseconds
  /** Of it, at its beginning: while the other mirror had its turn, processors' caches and clocks went cold. */
  uncountedMs: Milliseconds
  /** In all: where the machine did other things in one it is taken again. */
  turnsMax: number
}

export function faultsPlan({ lasts }: Fault, quick: boolean): FaultPlan {
  if (quick) return { warmUpMs: 500, turns: lasts === 'long' ? 3 : 1, turnsMax: 3, ...lengths }
  const turns = lasts === 'long' ? 50 : 30
  return { warmUpMs: 20_000, turns, turnsMax: 2 * turns, ...lengths }
}
