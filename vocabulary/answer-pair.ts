import type { Leg } from './observation.ts'

/**
 * Both answers of one observation, read whole from the bodies that were kept, under the mapping that they were compared
 * by. Long ones are bounded: each part says how much there is and shows what is furthest apart.
 */
export type AnswerPair = UnreadPair | NumbersPair | ScoresPair | RowsPair | BoxesPair | TextsPair | FieldsPair

/** Of the main output, '', or of a further one by its name. */
export interface OutputPair {
  output: string
  pair: AnswerPair
}

/** The bodies as kept do not hold both answers: one was redacted, not kept, or never was what the mapping expects. */
export interface UnreadPair {
  kind: 'unread'
  leg: Leg | null
  why: string
}

/** A value, several, or a vector. */
export interface NumbersPair {
  kind: 'numbers'
  of: 'value' | 'vector'
  units: string | null
  elements: number
  meanAbsolute: number
  maximum: number
  /** Of vectors. */
  cosine: number | null
  /** In the order of their indexes. */
  shown: { index: number; primary: number; candidate: number }[]
}

export interface ScoresPair {
  kind: 'scores'
  primary: string
  candidate: string
  labels: number
  /** The greatest on either side, greatest first; a side without scores has `null`. */
  shown: { label: string; primary: number | null; candidate: number | null }[]
}

/** Several rows, each of one class a side. */
export interface RowsPair {
  kind: 'rows'
  rows: number
  /** With another label. */
  differing: number
  /** The furthest apart first. */
  shown: { row: number; primary: TopClass; candidate: TopClass }[]
}

export interface TopClass {
  label: string
  /** Of this label; `null` of a side without scores. */
  score: number | null
}

export interface BoxesPair {
  kind: 'boxes'
  /** What the corners are: pixels of the picture, or shares of its width and height. */
  frame: 'pixel' | 'relative'
  iouMin: number
  matched: number
  onlyPrimary: number
  onlyCandidate: number
  /** Panoptic quality, 1 where both sides have the same boxes. */
  quality: number
  /** Those of one side alone first, then the least overlap first. */
  shown: { label: string; primary: BoxView | null; candidate: BoxView | null; iou: number | null }[]
}

export interface BoxView {
  /** x1, y1, x2, y2. */
  corners: [number, number, number, number]
  score: number | null
}

export interface TextsPair {
  kind: 'text'
  primary: CutText
  candidate: CutText
  editSimilarity: number
  tokenF1: number
}

/** The beginning of a text, and how many UTF-16 units the whole one has. */
export interface CutText {
  text: string
  length: number
}

/** JSON documents, field by field. The counts are of the whole documents. */
export interface FieldsPair {
  kind: 'fields'
  equal: number
  tolerance: { absolute: number; relative: number }
  ignore: string[]
  differing: FieldGroup
  /** Numbers that differ and are as near as the tolerance allows. */
  tolerated: FieldGroup
  /** What the mapping's `ignore` names and the documents have, each place once with all that is within. */
  ignored: FieldGroup
}

export interface FieldGroup {
  /** Fields, and the places that they are at: one place may have or lack many. */
  count: number
  places: number
  shown: FieldView[]
}

export interface FieldView {
  /** An RFC 6901 pointer within the document, cut where it is very long. */
  path: string
  how: 'missing' | 'extra' | 'typeChanged' | 'valueChanged' | 'equal'
  /** JSON; `null` where that side has no such field. */
  primary: CutText | null
  candidate: CutText | null
}
