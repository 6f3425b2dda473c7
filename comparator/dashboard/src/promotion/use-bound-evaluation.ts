import { useState } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/gate.ts'
import { type GateChange, gateChange } from './gate-change.ts'

export interface BoundEvaluation {
  /** What a signature now would bind. */
  evaluation: GateEvaluation | null
  /** What became of the gate since; `null` where that asks nothing of the reader. */
  change: GateChange | null
  /** The reader begins to sign: from here on the page may move, but not what they sign. */
  begin: () => void
  /** They have seen what changed, and go on with the evaluation of now. */
  takeNewest: () => void
  release: () => void
}

/** The evaluation that a reader signs is the one that was on screen as they began to. */
export function useBoundEvaluation(gate: GateEvaluation | null): BoundEvaluation {
  const [bound, setBound] = useState<GateEvaluation | null>(null)
  const evaluation = bound ?? gate
  const change = bound && gate && bound.id !== gate.id ? gateChange(bound, gate) : null
  return {
    evaluation,
    change: change?.isMaterial ? change : null,
    begin: () => setBound((before) => before ?? gate),
    takeNewest: () => setBound(gate),
    release: () => setBound(null),
  }
}
