import { useState } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import { type GateChange, gateChange } from './gate-change.ts'

interface BoundEvaluation {
  /** The evaluation to which a signature would now be bound. */
  evaluation: GateEvaluation | null
  /** How the gate has changed since; `null` if the reader need not confirm. */
  change: GateChange | null
  /** Called when the reader starts to sign: from then on the page may change, but not what they sign. */
  begin: () => void
  /** Called when the reader has seen the changes and accepts the current evaluation. */
  takeNewest: () => void
  release: () => void
}

/** A reader signs the evaluation that was on screen when they started to. */
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
