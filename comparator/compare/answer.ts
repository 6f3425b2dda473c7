/** What a model answered, as far as it is kept with the observation: checked, finite, and free of the body's shape. */
export type Answer = ValueAnswer | ClassAnswer | BriefAnswer

/** A regression: a number, or the numbers of an array (nested arrays are flattened). */
export interface ValueAnswer {
  kind: 'value'
  value: number | number[]
}

/** `null` of a label that a list of the best few leaves out, and the other side has. */
export type Score = number | null

/**
 * A classification. `label` is what the label pointer found, else the label of the highest score (the first on a tie),
 * or `noLabel`. `scores[i]` belongs to `labels[i]`; both are `null` where only a label is mapped.
 */
export interface ClassAnswer {
  kind: 'class'
  label: string
  scores: Score[] | null
  labels: string[] | null
  /** A list by label, perhaps of the best few alone: any other label has a score of no more than those, and at least 0. */
  isBest?: true
  /** How many labels there were, where only some are kept (`keep-scores.ts`). */
  of?: number
}

/** The label of an answer that gives none, where one answer may give several. It was read, so it is not `absentValue`. */
export const noLabel = '(no label)'

/** For distances: what is not listed has the score 0. */
export const withZeros = (scores: readonly Score[]): number[] => scores.map((score) => score ?? 0)

/** The highest; 0 of none. */
export function topScore(scores: readonly Score[]): number {
  let top: Score = null
  for (const score of scores) if (score !== null && (top === null || score > top)) top = score
  return top ?? 0
}

/**
 * Any other answer, for people: how much of what there is, such as `2 boxes: cat, dog` or `a text of 412 characters`. It
 * holds nothing of a text or a document, which are kept with the bodies, under their limits and redaction.
 */
interface BriefAnswer {
  kind: 'brief'
  label: string
  /** How many, of a classification of several. */
  rows?: number
  /** Of a classification of several: what a label of theirs is held against. */
  rowLabels?: RowLabels
  scores: null
  labels: null
}

/** Row i has the label `names[rows[i]]`: a thousand rows of two labels are kept in 2 kB. */
interface RowLabels {
  names: string[]
  rows: number[]
}

export function rowLabelsOf(labels: readonly string[]): RowLabels {
  const indexOf = new Map<string, number>()
  const rows = labels.map((label) => indexOf.getOrInsert(label, indexOf.size))
  return { names: [...indexOf.keys()], rows }
}

export const labelsOfRows = ({ names, rows }: RowLabels): string[] => rows.map((index) => names[index]!)

export function briefAnswer(label: string): BriefAnswer {
  return { kind: 'brief', label, scores: null, labels: null }
}

/** Larger numbers are refused: their fourth powers, summed, would overflow the rollups' sums of squares. */
export const magnitudeMax = 1e70

/** An answer of more numbers or labels is unmapped. */
export const elementsMax = 1_000_000

/** A longer label is unmapped: it is a text, and would be part of a rollup's key. */
export const labelCharsMax = 200

export function isUsableNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= magnitudeMax
}

/** Postgres stores neither NUL nor half a surrogate pair in a text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
