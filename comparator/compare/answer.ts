/**
 * The part of a model's answer that is kept with the observation: checked, finite, and independent of the body's form.
 */
export type Answer = ValueAnswer | ClassAnswer | BriefAnswer

/** A regression: a number, or the numbers of an array (nested arrays are flattened). */
export interface ValueAnswer {
  kind: 'value'
  value: number | number[]
}

/** `null` for a label that a list of the best few leaves out but the other side has. */
export type Score = number | null

/**
 * A classification. `label` is what the label pointer found, else the label with the highest score (the first on a
 * tie), or `noLabel`. `scores[i]` belongs to `labels[i]`; both are `null` where only a label is mapped.
 */
export interface ClassAnswer {
  kind: 'class'
  label: string
  scores: Score[] | null
  labels: string[] | null
  /**
   * Set for a list by label, perhaps of the best few only: the score of an unlisted label is at least 0, and no higher
   * than any listed one.
   */
  isBest?: true
  /** Number of labels in the answer, where only some are kept (`keep-scores.ts`). */
  of?: number
}

/** The label of an answer without labels, where an answer may give several. Unlike `absentValue`, it was read. */
export const noLabel = '(no label)'

/** Scores for distances, where unlisted labels count as 0. */
export const withZeros = (scores: readonly Score[]): number[] => scores.map((score) => score ?? 0)

/** The highest score; 0 if there is none. */
export function topScore(scores: readonly Score[]): number {
  let top: Score = null
  for (const score of scores) if (score !== null && (top === null || score > top)) top = score
  return top ?? 0
}

/**
 * Any other answer, summed up for people, such as `2 boxes: cat × 1, dog × 1` or `a text of 412 characters`. It contains
 * nothing of a text or document: these are kept with the bodies only, under their limits and redaction.
 */
interface BriefAnswer {
  kind: 'brief'
  label: string
  /** Number of rows, if it is a classification of rows. */
  rows?: number
  /** The labels of a classification of rows, which ground truth is compared with. */
  rowLabels?: RowLabels
  scores: null
  labels: null
}

/** Row i has the label `names[rows[i]]`, so a thousand rows with two labels take 2 kB. */
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

/** Larger numbers are refused, since sums of their fourth powers would overflow the rollups' sums of squares. */
export const magnitudeMax = 1e70

/** An answer with more numbers or labels is unmapped. */
export const elementsMax = 1_000_000

/** A longer label is unmapped: labels become part of a rollup's key. */
export const labelCharsMax = 200

export function isUsableNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= magnitudeMax
}

/** PostgreSQL stores neither NUL nor a lone surrogate in a text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
