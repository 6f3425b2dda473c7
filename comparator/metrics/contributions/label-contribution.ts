import type { Label } from '../../../vocabulary/label.ts'
import { type Answer, isUsableNumber, labelsOfRows } from '../../compare/answer.ts'
import { absoluteError } from '../../compare/differences.ts'
import { misfitLabelMeasure, unlabelledRowsMeasure } from '../measures.ts'
import type { Contribution } from './contribution.ts'

/** The truth that a label gives. */
export type Truth = Pick<Label, 'label' | 'value'>

interface Answers {
  primary: Answer
  candidate: Answer | null
}

/** The number of labels, or values, that a label of this answer must have; `null` if it has nothing to compare them with. */
export function rowsOf(primary: Answer | undefined): number | null {
  if (primary === undefined) return null
  return primary.kind === 'value' ? [primary.value].flat().length : (labelsIn(primary)?.length ?? null)
}

/**
 * What a label adds, once, for each of its observations whose comparison is `compared` or `failed`; for several rows,
 * the mean over those whose truth is known.
 */
export function contributionOfLabel(answers: Answers, truth: Truth): Contribution {
  const into: Contribution = { sums: [], bins: [] }
  if (answers.primary.kind === 'value') addErrors(into, answers, truth)
  else addRights(into, answers, truth)
  return into
}

function addRights(into: Contribution, answers: Answers, { label, value }: Truth): void {
  const primary = labelsIn(answers.primary)
  const of = label ?? (typeof value === 'number' ? String(value) : undefined)
  if (primary === null || of === undefined) return
  const truths = [of].flat()
  const known = knownOf(into, truths, primary.length)
  if (known === null) return
  const candidate = labelsIn(answers.candidate)
  const right = { primary: 0, candidate: 0, oneAlone: 0 }
  for (const row of known) {
    const ofPrimary = primary[row] === truths[row] ? 1 : 0
    // no answer counts as a wrong answer
    const ofCandidate = candidate?.[row] === truths[row] ? 1 : 0
    right.primary += ofPrimary
    right.candidate += ofCandidate
    right.oneAlone += Math.abs(ofCandidate - ofPrimary)
  }
  const { length } = known
  into.sums.push(['accuracy.primary', right.primary / length], ['accuracy.candidate', right.candidate / length])
  // each row is −1, 0 or 1 and all count as one exchange: adds the mean of them, and of their squares
  into.sums.push(['accuracy.drift', (right.candidate - right.primary) / length, right.oneAlone / length])
}

function labelsIn(answer: Answer | null): string[] | null {
  if (answer?.kind === 'class') return [answer.label]
  return answer?.kind === 'brief' && answer.rowLabels !== undefined ? labelsOfRows(answer.rowLabels) : null
}

function addErrors(into: Contribution, { primary, candidate }: Answers, { value }: Truth): void {
  if (value === undefined || primary.kind !== 'value' || candidate?.kind !== 'value') return
  const truths = [value].flat()
  const ofPrimary = [primary.value].flat()
  const ofCandidate = [candidate.value].flat()
  const known = knownOf(into, truths, ofPrimary.length)
  if (known === null) return
  const at = (of: (number | null)[]) => known.map((row) => of[row]!)
  const primaryError = absoluteError(at(truths), at(ofPrimary))
  const candidateError = absoluteError(at(truths), at(ofCandidate))
  into.sums.push(['mae.primary', primaryError], ['mae.candidate', candidateError])
  into.sums.push(['mae.drift', candidateError - primaryError])
}

/** The indexes of rows, or numbers, whose truth is known; `null` if the label does not fit the answer. */
function knownOf(into: Contribution, truths: readonly (string | number | null)[], rows: number): number[] | null {
  const known = [...truths.keys()].filter((row) => truths[row] !== null)
  const isUsable = known.every((row) => typeof truths[row] === 'string' || isUsableNumber(truths[row]))
  if (truths.length !== rows || known.length === 0 || !isUsable) {
    into.sums.push([misfitLabelMeasure, 1])
    return null
  }
  if (known.length < rows) into.sums.push([unlabelledRowsMeasure, 1 - known.length / rows])
  return known
}
