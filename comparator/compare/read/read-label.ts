import { isStorable, isUsableNumber, labelCharsMax } from '../answer.ts'
import { misfit, type Problem, problem } from './mapping-problem.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { unwrapSingles } from './unwrap-singles.ts'

export function readLabel(document: unknown, path: string, isTensor: boolean): string | Problem {
  const found = resolvePointer(document, path)
  const label = isTensor ? unwrapSingles(found) : found
  const text = labelOf(label)
  if (text !== null) return text
  if (typeof label === 'string') {
    return problem('type', path, `a label of at most ${labelCharsMax} characters without NUL`, 'another text')
  }
  const orScores = holdsNumbers(label) ? `, or scores: ${path || '""'}` : ''
  const orRows = Array.isArray(label) ? `, or ${path}/* for those of several rows` : ''
  return misfit(document, path, label, `a label${orScores}${orRows}`)
}

const holdsNumbers = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.values(value).some(isUsableNumber)

/** A label of any plain type as a text that can be stored; `null` if it is not a label. */
export function labelOf(value: unknown): string | null {
  if (typeof value === 'string') return value.length <= labelCharsMax && isStorable(value) ? value : null
  return typeof value === 'boolean' || isUsableNumber(value) ? String(value) : null
}

const sets = new WeakMap<string[], ReadonlySet<string>>()

/** The set of declared labels, cached. */
export function setOf(labels: string[]): ReadonlySet<string> {
  return sets.getOrInsertComputed(labels, () => new Set(labels))
}

/** The problem of a label that is not declared. It never contains the label itself, which may be any text. */
export function unknownLabel(path: string, label: string, declared: Iterable<string>): Problem {
  const folded = label.trim().toLowerCase()
  const isNear = [...declared].some((known) => known.trim().toLowerCase() === folded)
  return problem(
    'unknownLabel',
    path,
    'one of the declared labels',
    isNear ? 'one that differs from one of them in case or spaces alone' : 'another one',
  )
}
