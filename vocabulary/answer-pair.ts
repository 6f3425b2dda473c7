import { type Static, Type } from 'typebox'
import { legs } from './leg.ts'
import { named, nullable } from './schema.ts'

/** The bodies as kept do not hold both answers: one was redacted, not kept, or never was what the mapping expects. */
export const UnreadPair = named('UnreadPair', {
  kind: Type.Literal('unread'),
  leg: nullable(Type.Enum(legs)),
  why: Type.String(),
})
export type UnreadPair = Static<typeof UnreadPair>

/** A value, several, or a vector. */
export const NumbersPair = named('NumbersPair', {
  kind: Type.Literal('numbers'),
  of: Type.Enum(['value', 'vector']),
  units: nullable(Type.String()),
  elements: Type.Integer(),
  meanAbsolute: Type.Number(),
  maximum: Type.Number(),
  /** Of vectors. */
  cosine: nullable(Type.Number()),
  /** Where there are vectors of several rows: which of them this is, the one furthest apart. */
  row: Type.Optional(Type.Object({ index: Type.Integer(), of: Type.Integer() })),
  /** In the order of their indexes. */
  shown: Type.Array(Type.Object({ index: Type.Integer(), primary: Type.Number(), candidate: Type.Number() })),
})
export type NumbersPair = Static<typeof NumbersPair>

export const ScoresPair = named('ScoresPair', {
  kind: Type.Literal('scores'),
  primary: Type.String(),
  candidate: Type.String(),
  labels: Type.Integer(),
  /** The greatest on either side, greatest first; a side without scores has `null`. */
  shown: Type.Array(
    Type.Object({ label: Type.String(), primary: nullable(Type.Number()), candidate: nullable(Type.Number()) }),
  ),
})
export type ScoresPair = Static<typeof ScoresPair>

export const TopClass = named('TopClass', {
  label: Type.String(),
  /** Of this label; `null` of a side without scores. */
  score: nullable(Type.Number()),
})
export type TopClass = Static<typeof TopClass>

/** Several rows, each of one class a side. */
export const RowsPair = named('RowsPair', {
  kind: Type.Literal('rows'),
  rows: Type.Integer(),
  /** With another label. */
  differing: Type.Integer(),
  /** The furthest apart first. */
  shown: Type.Array(Type.Object({ row: Type.Integer(), primary: TopClass, candidate: TopClass })),
})
export type RowsPair = Static<typeof RowsPair>

export const BoxView = named('BoxView', {
  /** x1, y1, x2, y2. */
  corners: Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]),
  score: nullable(Type.Number()),
})
export type BoxView = Static<typeof BoxView>

export const BoxesPair = named('BoxesPair', {
  kind: Type.Literal('boxes'),
  /** What the corners are: pixels of the picture, or shares of its width and height. */
  frame: Type.Enum(['pixel', 'relative']),
  iouMin: Type.Number(),
  matched: Type.Integer(),
  onlyPrimary: Type.Integer(),
  onlyCandidate: Type.Integer(),
  /** Panoptic quality, 1 where both sides have the same boxes. */
  quality: Type.Number(),
  /** Those of one side alone first, then the least overlap first. */
  shown: Type.Array(
    Type.Object({
      label: Type.String(),
      primary: nullable(BoxView),
      candidate: nullable(BoxView),
      iou: nullable(Type.Number()),
    }),
  ),
})
export type BoxesPair = Static<typeof BoxesPair>

/** The beginning of a text, and how many UTF-16 units the whole one has. */
export const CutText = named('CutText', {
  text: Type.String(),
  length: Type.Integer(),
})
export type CutText = Static<typeof CutText>

export const TextsPair = named('TextsPair', {
  kind: Type.Literal('text'),
  primary: CutText,
  candidate: CutText,
  editSimilarity: Type.Number(),
  tokenF1: Type.Number(),
})
export type TextsPair = Static<typeof TextsPair>

export const FieldView = named('FieldView', {
  /** An RFC 6901 pointer within the document, cut where it is very long. */
  path: Type.String(),
  how: Type.Enum(['missing', 'extra', 'typeChanged', 'valueChanged', 'equal']),
  /** JSON; `null` where that side has no such field. */
  primary: nullable(CutText),
  candidate: nullable(CutText),
})
export type FieldView = Static<typeof FieldView>

export const FieldGroup = named('FieldGroup', {
  /** Fields, and the places that they are at: one place may have or lack many. */
  count: Type.Integer(),
  places: Type.Integer(),
  shown: Type.Array(FieldView),
})
export type FieldGroup = Static<typeof FieldGroup>

/** JSON documents, field by field. The counts are of the whole documents. */
export const FieldsPair = named('FieldsPair', {
  kind: Type.Literal('fields'),
  equal: Type.Integer(),
  tolerance: Type.Object({ absolute: Type.Number(), relative: Type.Number() }),
  ignore: Type.Array(Type.String()),
  differing: FieldGroup,
  /** Numbers that differ and are as near as the tolerance allows. */
  tolerated: FieldGroup,
  /** What the mapping's `ignore` names and the documents have, each place once with all that is within. */
  ignored: FieldGroup,
})
export type FieldsPair = Static<typeof FieldsPair>

/**
 * Both answers of one observation, read whole from the bodies that were kept, under the mapping that they were compared
 * by. Long ones are bounded: each part says how much there is and shows what is furthest apart.
 */
export const AnswerPair = Type.Union([UnreadPair, NumbersPair, ScoresPair, RowsPair, BoxesPair, TextsPair, FieldsPair])
export type AnswerPair = Static<typeof AnswerPair>

/** Of the main output, '', or of a further one by its name. */
export const OutputPair = named('OutputPair', {
  output: Type.String(),
  pair: AnswerPair,
})
export type OutputPair = Static<typeof OutputPair>
