import { useRef, useState } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { EvidenceWindowView } from '../../../../vocabulary/api/windows.ts'
import type { Failure } from '../api/call-api.ts'
import { useSession } from '../api/session-context.ts'
import type { Polled } from '../api/use-polled.ts'
import { formatSpan } from '../format/time.ts'
import { shortDigest } from '../format/words.ts'
import { useFocusOnNew } from '../loaded-list/use-focus-on-new.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { verdictSentence } from '../verdict/verdict-sentence.ts'

/** Rows shown until someone asks for the rest. */
const shownMax = 10

/** Every past window, why it began and, on demand, what its gate would say. */
export function PastWindows({ validation, windows }: { validation: string; windows: Polled<EvidenceWindowView[]> }) {
  const [all, setAll] = useState(false)
  const { data, problem } = windows
  const shown = data?.slice(0, all ? undefined : shownMax)
  const focusOnNew = useFocusOnNew(shown, ({ id }) => `window-${id}`)
  if (data === null) {
    if (problem === null) return <Loading what="the windows" height={96} />
    return <EmptyState title="The windows could not be loaded">{problem.message}</EmptyState>
  }
  if (data.length === 0)
    return <EmptyState title="No window yet">The first begins with the first observation.</EmptyState>
  return (
    <>
      <Scrollable label="Windows">
        <table class="compact folds windows">
          <caption class="visually-hidden">Spans of evidence, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Began</th>
              <th scope="col" class="numeric">
                Spanned
              </th>
              <th scope="col">Because</th>
              <th scope="col">Primary</th>
              <th scope="col">Candidate</th>
              <th scope="col">Policy</th>
              <th scope="col">Gate</th>
            </tr>
          </thead>
          <tbody>
            {shown?.map((window) => (
              <tr key={window.id} id={`window-${window.id}`} tabIndex={-1}>
                <th scope="row">
                  <Moment at={window.beganAt} />
                </th>
                <td class="numeric" data-label="Spanned">
                  {formatSpan(Date.parse(window.lastAt) - Date.parse(window.beganAt))}
                </td>
                <td class="cell-because" data-label="Because">
                  <VisibleText text={window.beganBecause} inline />{' '}
                  {window.isCurrent && <span class="tag">current</span>}
                </td>
                <td data-label="Primary">
                  <VisibleText text={window.primaryVersion ?? '–'} inline />
                  {window.primaryDigest && (
                    <code title={window.primaryDigest}> {shortDigest(window.primaryDigest)}</code>
                  )}
                </td>
                <td data-label="Candidate">
                  <VisibleText text={window.candidateVersion ?? '–'} inline />
                  {window.candidateDigest && (
                    <code title={window.candidateDigest}> {shortDigest(window.candidateDigest)}</code>
                  )}
                </td>
                <td data-label="Policy">
                  <code title={window.policyDigest}>{shortDigest(window.policyDigest)}</code>
                </td>
                <td class="cell-gate" data-label="Gate">
                  <JudgedWindow validation={validation} window={window} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      {data.length > shownMax && !all && (
        <button
          class="button"
          type="button"
          onClick={() => {
            focusOnNew()
            setAll(true)
          }}
        >
          Show all {data.length}
        </button>
      )}
    </>
  )
}

type Asked =
  | { kind: 'asking' }
  | { kind: 'judged'; verdict: GateEvaluation['verdict']; sentence: string }
  | { kind: 'failed'; failure: Failure }

/** Judged by the comparator on demand: an old window costs as much as the current one. */
function JudgedWindow({ validation, window }: { validation: string; window: EvidenceWindowView }) {
  const { call } = useSession()
  const [asked, setAsked] = useState<Asked | null>(null)
  const place = useRef<HTMLSpanElement>(null)
  const ask = async () => {
    // the button goes, and keyboard focus would go with it
    place.current?.focus({ preventScroll: true })
    setAsked({ kind: 'asking' })
    const result = await call<Pick<GateEvaluation, 'verdict' | 'reason' | 'checks'>>(
      `/v1/validations/${encodeURIComponent(validation)}/windows/${window.id}/gate`,
    )
    if (result.kind === 'ok') {
      const sentence = verdictSentence(result.data, window.isCurrent ? null : 'the window is over')
      setAsked({ kind: 'judged', verdict: result.data.verdict, sentence })
    } else setAsked({ kind: 'failed', failure: result })
  }
  return (
    <span class="judged-window" role="status" tabIndex={-1} ref={place}>
      {asked?.kind === 'judged' ? (
        <>
          <VerdictMark verdict={asked.verdict} />
          <span class="muted">{asked.sentence}</span>
        </>
      ) : asked?.kind === 'asking' ? (
        'Judging…'
      ) : (
        <button class="link-button" type="button" onClick={ask}>
          Judge it
        </button>
      )}
      {asked?.kind === 'failed' && <span> {asked.failure.message}</span>}
    </span>
  )
}
