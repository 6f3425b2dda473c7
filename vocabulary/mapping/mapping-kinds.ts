import { type Static, type TProperties, Type } from 'typebox'
import type { Leg } from '../leg.ts'

const Pointer = (found: string, examples = '/predictions/0') =>
  Type.String({
    pattern: '^(/([^~/]|~[01])*)*$',
    description: `an RFC 6901 pointer to ${found}, such as ${examples}`,
  })

/** A pointer in which one `*` stands for each row of a response with several. */
const RowPointer = (found: string) => Pointer(found, '/predictions/0, or /predictions/* for all of several rows')

const closed = { additionalProperties: false }
const scaleDescription = 'a factor other than 0 that brings this side’s numbers to the common unit'

const protocols = ['json', 'oip', 'torchserve', 'plain', 'stream'] as const
export type Protocol = (typeof protocols)[number]

const boxFormats = ['xyxy', 'xywh', 'cxcywh'] as const
export type BoxFormat = (typeof boxFormats)[number]

const Protocol = Type.Enum([...protocols], {
  description:
    'how a body is read before pointers resolve in it. `json`: as it is. `oip`: an Open Inference Protocol response, in ' +
    "JSON or with binary tensors, becomes one object of its outputs: name → array in the tensor's shape. " +
    "`torchserve`: JSON, where scores and boxes may also be lists as TorchServe's handlers make them. `plain`: the " +
    'whole body is one text. `stream`: a text in pieces, of which each server-sent event, or each line, is JSON',
})

/** Settings in `own` may be given per side; those beside `kind` apply to both sides unless one overrides them. */
const mappingOf = <Kind extends string, Own extends TProperties, Shared extends TProperties>(
  kind: Kind,
  found: string,
  own: Own,
  shared: Shared,
) => {
  const ofSide = { protocol: Type.Optional(Protocol), ...own }
  const side = (leg: Leg) =>
    Type.Optional(
      Type.Partial(Type.Object(ofSide), { ...closed, description: `settings that differ for the ${leg}'s responses` }),
    )
  return Type.Object(
    { kind: Type.Literal(kind), ...ofSide, ...shared, primary: side('primary'), candidate: side('candidate') },
    {
      ...closed,
      $id: `${kind[0]!.toUpperCase()}${kind.slice(1)}Mapping`,
      description: `Where ${found} stands in a response.`,
    },
  )
}

const Label = Type.String({ maxLength: 200, description: 'a text of at most 200 characters; a number in quotes' })
const Labels = Type.Array(Label, {
  minItems: 2,
  maxItems: 10_000,
  uniqueItems: true,
  description: 'at least two distinct labels, in the order of this side’s scores',
})
const LabelMap = Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
  description:
    'the candidate’s label → the primary’s; scores that come to one label are added, or with scoreMin the greatest counts',
})
const Scale = Type.Refine(
  Type.Number({ description: scaleDescription }),
  (scale) => scale !== 0 && Number.isFinite(scale),
  () => scaleDescription,
)

export const RegressionMapping = mappingOf(
  'regression',
  'a number, or several,',
  {
    value: Type.Optional(RowPointer('a number or an array of numbers')),
    scale: Type.Optional(Scale),
    offset: Type.Optional(Type.Number({ description: 'a number that is added after scale' })),
  },
  {
    units: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'the unit after scale, such as °C' })),
  },
)
export type RegressionMapping = Static<typeof RegressionMapping>

export const ClassificationMapping = mappingOf(
  'classification',
  'a class',
  {
    scores: Type.Optional(
      RowPointer(
        'the scores: an array in the order of `labels` or `classes`, an object keyed by label, or a list of objects with ' +
          'a label and a score each, of the best few labels or of all; with scoreMin also true or false, or a list of labels',
      ),
    ),
    item: Type.Optional(
      Type.Object(
        {
          label: Type.String({ ...Pointer('the label within an item', '/class'), default: '/label' }),
          score: Type.String({ ...Pointer('its score within the item', '/confidence'), default: '/score' }),
        },
        { ...closed, description: 'an object: where label and score stand in each object of a list of scores' },
      ),
    ),
    classes: Type.Optional(RowPointer('a list of labels beside scores')),
    label: Type.Optional(RowPointer('the predicted label')),
    labels: Type.Optional(Labels),
    scale: Type.Optional(Scale),
    scoreMin: Type.Optional(
      Type.Number({
        description: 'the score, after scale, from which a label is given, where one answer may give several',
      }),
    ),
  },
  {
    topK: Type.Integer({ minimum: 1, default: 3, description: 'k of topKOverlap, ≥ 1' }),
    labelMap: Type.Optional(LabelMap),
  },
)
export type ClassificationMapping = Static<typeof ClassificationMapping>

export const EmbeddingMapping = mappingOf(
  'embedding',
  'a vector',
  { vector: Type.Optional(RowPointer('the vector, an array of numbers')) },
  {},
)
export type EmbeddingMapping = Static<typeof EmbeddingMapping>

export const DetectionMapping = mappingOf(
  'detection',
  'a list of boxes',
  {
    boxes: Type.Optional(RowPointer('the list of boxes')),
    box: Type.Optional(Pointer('a box’s four numbers within an item of boxes')),
    score: Type.Optional(Pointer('a box’s score within an item of boxes')),
    label: Type.Optional(Pointer('a box’s label within an item of boxes')),
    scores: Type.Optional(RowPointer('a list of scores beside boxes')),
    classes: Type.Optional(RowPointer('a list of labels beside boxes')),
    format: Type.Optional(
      Type.Enum([...boxFormats], {
        description:
          "what a box's four numbers are: `xyxy` two opposite corners, `xywh` the upper left corner and the size, " +
          '`cxcywh` the centre and the size',
      }),
    ),
    coordinates: Type.Optional(
      Type.Enum(['pixel', 'relative'], {
        description: 'whether they are pixels of the image, or shares of its width and height',
      }),
    ),
    imageSize: Type.Optional(
      Type.Tuple([Type.Number({ exclusiveMinimum: 0 }), Type.Number({ exclusiveMinimum: 0 })], {
        description: '[width, height] in pixels of the image that this side’s boxes refer to',
      }),
    ),
  },
  {
    iouMin: Type.Number({ exclusiveMinimum: 0, maximum: 1, default: 0.5, description: 'in (0, 1]' }),
    scoreMin: Type.Optional(Type.Number({ description: 'boxes with a lower score are left out, on both sides' })),
    labelMap: Type.Optional(LabelMap),
  },
)
export type DetectionMapping = Static<typeof DetectionMapping>

export const TextMapping = mappingOf(
  'text',
  'a text',
  {
    text: Type.Optional(RowPointer('the text')),
    whole: Type.Optional(
      Pointer('the text where an answer of protocol: stream comes whole', '/choices/0/message/content'),
    ),
  },
  {},
)
export type TextMapping = Static<typeof TextMapping>

const IgnorePointer = Type.String({
  pattern: '^(/([^~/]|~[01])*)+$',
  description: 'an RFC 6901 pointer in which * stands for any one step, such as /items/*/id',
})
const Tolerance = (description: string) => Type.Number({ minimum: 0, default: 0, description })

export const JsonMapping = mappingOf(
  'json',
  'a document',
  { document: Type.Optional(Pointer('the document, "" for the whole body')) },
  {
    ignore: Type.Array(IgnorePointer, {
      default: [],
      maxItems: 1000,
      description: 'a list of at most 1,000 pointers to what is not compared',
    }),
    tolerance: Type.Object(
      {
        absolute: Tolerance('numbers this far apart are equal, ≥ 0'),
        relative: Tolerance('numbers apart by this share of the greater magnitude are equal, ≥ 0'),
      },
      { ...closed, default: {}, description: 'an object: how far apart equal numbers may be' },
    ),
  },
)
export type JsonMapping = Static<typeof JsonMapping>
