import { type Static, Type } from 'typebox'
import { legs } from '../leg.ts'
import { Count, described, Num, named, namedUnion, nullable, Share, Text, Texts } from '../schema.ts'
import { GivenLabels } from './given-labels.ts'

const UnreadPair = named(
  'UnreadPair',
  'The stored bodies do not hold both answers: one was redacted, not kept, or never matched the mapping.',
  {
    kind: Type.Literal('unread'),
    leg: nullable(Type.Enum(legs), 'the side that could not be read'),
    why: Text('what was found instead of an answer, in words'),
  },
)

/** Says which row is shown. */
const furthestRow = Type.Optional(
  Type.Object(
    { index: Count('which row this is, from 0'), of: Count('how many rows there are') },
    { description: 'if an answer has several rows: the one with the greatest difference' },
  ),
)

export const NumbersPair = named('NumbersPair', 'One value, several values, or a vector.', {
  kind: Type.Literal('numbers'),
  of: Type.Enum(['value', 'vector'], { description: 'whether they are values (regression) or a vector (embedding)' }),
  units: nullable(Text(), 'the unit of values, such as °C; null if the mapping names none'),
  elements: Count('how many numbers each side has'),
  meanAbsolute: Num('mean of |candidate − primary| over the elements'),
  maximum: Num('the greatest |candidate − primary|'),
  cosine: nullable(Num(), 'cosine of the angle between two vectors, in [-1, 1]; null for values'),
  row: furthestRow,
  shown: Type.Array(
    Type.Object({
      index: Count('which element, from 0'),
      primary: Num("the primary's number"),
      candidate: Num("the candidate's number"),
    }),
    { description: 'the elements that differ most, at most 64, ordered by index' },
  ),
})
export type NumbersPair = Static<typeof NumbersPair>

export const ScoresPair = named('ScoresPair', 'One class on each side, with scores if there are any.', {
  kind: Type.Literal('scores'),
  primary: Text('the label that the primary predicted'),
  candidate: Text('the label that the candidate predicted'),
  labels: Count('how many labels there are'),
  shown: Type.Array(
    Type.Object({
      label: Text('a label'),
      primary: nullable(Num(), "the primary's score of it; null if it has none"),
      candidate: nullable(Num(), "the candidate's score of it; null if it has none"),
    }),
    { description: 'the labels with the greatest score on either side, at most 20, greatest first' },
  ),
  scoreMin: Type.Optional(
    Type.Object(
      { primary: Num("of the primary's scores"), candidate: Num("of the candidate's scores") },
      { description: 'the score from which a label counts as given, if the model may give several labels, or none' },
    ),
  ),
  given: Type.Optional(
    described(GivenLabels, 'the labels given, as far as the kept scores tell; absent if a side gave more than these'),
  ),
})
export type ScoresPair = Static<typeof ScoresPair>

export const TopClass = named('TopClass', 'What one side predicted of one row.', {
  label: Text('the label'),
  score: nullable(Num(), 'score of this label; null for a side without scores'),
})
export type TopClass = Static<typeof TopClass>

export const RowsPair = named('RowsPair', 'Several rows, each with one class on each side.', {
  kind: Type.Literal('rows'),
  rows: Count('how many rows the answers have'),
  differing: Count('rows whose label, or under `scoreMin` whose labels, differ between the sides'),
  shown: Type.Array(
    Type.Object({
      row: Count('which row, from 0'),
      primary: TopClass,
      candidate: TopClass,
      given: Type.Optional(described(GivenLabels, 'if the mapping has `scoreMin`')),
    }),
    { description: 'the rows that differ most, at most 100, greatest difference first' },
  ),
})
export type RowsPair = Static<typeof RowsPair>

export const BoxView = named('BoxView', 'A box that a model detected.', {
  corners: Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()], {
    description: 'x1, y1, x2, y2: two opposite corners',
  }),
  score: nullable(Num(), "the model's confidence; null if it gives none"),
})
export type BoxView = Static<typeof BoxView>

export const BoxesPair = named('BoxesPair', 'The boxes of both sides, matched.', {
  kind: Type.Literal('boxes'),
  frame: Type.Enum(['pixel', 'relative'], {
    description: 'the unit of the corners: pixels of the picture, or shares of its width and height',
  }),
  iouMin: Share('intersection over union from which two boxes match'),
  matched: Count('boxes that both sides have'),
  onlyPrimary: Count('boxes of the primary without a match'),
  onlyCandidate: Count('boxes of the candidate without a match'),
  quality: Share('panoptic quality; 1 if both sides have the same boxes'),
  row: furthestRow,
  shown: Type.Array(
    Type.Object({
      label: Text("the box's label"),
      primary: nullable(BoxView, "the primary's box; null if it has none"),
      candidate: nullable(BoxView, "the candidate's box; null if it has none"),
      iou: nullable(Share(), 'intersection over union of the two; null if there is only one'),
    }),
    { description: 'at most 100: boxes of one side alone first, then by increasing overlap' },
  ),
})
export type BoxesPair = Static<typeof BoxesPair>

export const CutText = named('CutText', 'The beginning of a text.', {
  text: Text('the part shown'),
  length: Count('length of the whole text in UTF-16 units'),
})
export type CutText = Static<typeof CutText>

export const TextsPair = named('TextsPair', 'Two texts.', {
  kind: Type.Literal('text'),
  primary: described(CutText, "the primary's text"),
  candidate: described(CutText, "the candidate's text"),
  editSimilarity: Share('1 − edits ÷ the longer length'),
  tokenF1: Share('F1 of the words that both have'),
  row: furthestRow,
})
export type TextsPair = Static<typeof TextsPair>

export const FieldView = named('FieldView', 'One field of two JSON documents.', {
  path: Text('an RFC 6901 pointer within the document, cut off if very long'),
  how: Type.Enum(['missing', 'extra', 'typeChanged', 'valueChanged', 'equal'], {
    description: "how the candidate's field differs from the primary's",
  }),
  primary: nullable(CutText, "the primary's value as JSON; null if it has no such field"),
  candidate: nullable(CutText, "the candidate's value as JSON; null if it has no such field"),
})
export type FieldView = Static<typeof FieldView>

export const FieldGroup = named('FieldGroup', 'Fields that are alike in how they compare.', {
  count: Count('how many fields'),
  places: Count('at how many places; one place may have or lack many fields'),
  shown: Type.Array(FieldView, { description: 'some of the places' }),
})
export type FieldGroup = Static<typeof FieldGroup>

export const FieldsPair = named('FieldsPair', 'JSON documents, field by field. Counts cover the whole documents.', {
  kind: Type.Literal('fields'),
  equal: Count('fields that are equal on both sides, or within the tolerance'),
  tolerance: Type.Object(
    { absolute: Num('numbers this far apart are equal'), relative: Num('and by this share of the greater magnitude') },
    { description: 'how far apart equal numbers may be, from the mapping' },
  ),
  ignore: Texts("the mapping's pointers to fields that are not compared"),
  differing: described(FieldGroup, 'fields that differ'),
  tolerated: described(FieldGroup, 'numbers that differ, but within the tolerance'),
  ignored: described(
    FieldGroup,
    'fields present in the documents that `ignore` names; each place once, with everything below it',
  ),
})
export type FieldsPair = Static<typeof FieldsPair>

export const AnswerPair = namedUnion(
  'AnswerPair',
  'Both answers of one observation, read in full from the stored bodies by the mapping that they were ' +
    'compared by. Long answers are cut: each part says how much there is and shows what differs most.',
  [UnreadPair, NumbersPair, ScoresPair, RowsPair, BoxesPair, TextsPair, FieldsPair],
)
export type AnswerPair = Static<typeof AnswerPair>

export const OutputPair = named('OutputPair', "One output's two answers.", {
  output: Text("'' for the main output, or the name of a further one"),
  pair: AnswerPair,
})
export type OutputPair = Static<typeof OutputPair>
