import type { Bytes } from '../../vocabulary/units.ts'

/** Size of one observation on the wire, with both bodies. */
export const observationBytes: Bytes = 2048
/** Observations that a mirror sends at once: `bundleBytesMax` of them. */
export const perBundle = 100
/** Concurrent deliveries: two from each of four mirror workers. */
export const connections = 8

export interface IntakePlan {
  rounds: number
  warmUpObservations: number
  /** Observations per side and round. */
  observations: number
}

export const intakePlan = (quick: boolean): IntakePlan =>
  quick
    ? { rounds: 1, warmUpObservations: 2_000, observations: 10_000 }
    : { rounds: 5, warmUpObservations: 10_000, observations: 60_000 }

export const goals = { shareOfCopy: 0.5, observationsPerSecond: 5_000 }
