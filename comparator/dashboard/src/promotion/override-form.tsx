import { useState } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import { verdictWords } from '../format/words.ts'
import { verdictSentence } from '../verdict/verdict-sentence.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import type { Action } from './use-action.ts'

interface OverrideFormProps {
  name: string
  /** The evaluation on screen, against which the reader signs. */
  evaluation: GateEvaluation
  action: Action
}

/** Signs against the gate: a separate action with its own wording, recorded permanently. */
export function OverrideForm({ name, evaluation, action }: OverrideFormProps) {
  // the evaluation is fixed while the dialog is open
  const [against, setAgainst] = useState<GateEvaluation | null>(null)
  return (
    <>
      <div class="action-row override-row">
        <button
          class="button button-danger"
          type="button"
          disabled={action.running}
          onClick={() => setAgainst(evaluation)}
        >
          Promote against the gate…
        </button>
        <p class="muted">
          As an admin you can. The override stays marked on this validation, in its history and in the dossier.
        </p>
      </div>
      {against && (
        <ConfirmDialog
          of={name}
          title={`Promote ${name} against its gate?`}
          text="The window’s gate will not guard this rollout. The live gate still ends it if clients are harmed."
          confirm="Promote against the gate"
          reasonNeeded
          nameToType={name}
          close={() => setAgainst(null)}
          act={(comment) =>
            action.run(
              `/v1/validations/${encodeURIComponent(name)}/promotion`,
              { gateId: against.id, comment, override: true },
              'Your override is signed.',
            )
          }
        >
          <p class="override-against">
            <strong>{verdictWords[against.verdict]}:</strong> {verdictSentence(against)}
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
