import { type StaticDecode, Type } from 'typebox'
import { closed } from '../../runtime/config/fields.ts'

const Channels = (what: string, each: { exclusiveMinimum?: number } = {}) =>
  Type.Optional(
    Type.Array(Type.Number(each), {
      minItems: 1,
      maxItems: 4,
      description: `${what} per channel, such as [0.485, 0.456, 0.406]`,
    }),
  )

const side = { minimum: 1, maximum: 16_384 }
const Sides = (what: string) =>
  Type.Optional(
    Type.Union([Type.Integer(side), Type.Tuple([Type.Integer(side), Type.Integer(side)])], {
      description: `${what}, or [height, width], in pixels from 1 to 16384`,
    }),
  )

export const interpolations = ['bilinear', 'bicubic', 'lanczos'] as const

/** `image:` of a model with `adapter: image`. */
export const imageOptionsSchema = Type.Object(
  {
    resize: Sides('the shorter side, whose aspect is kept'),
    crop: Sides('the side of the square that is cut from the centre'),
    interpolation: Type.Optional(
      Type.Enum([...interpolations], { description: `one of ${interpolations.join(', ')}; bilinear where left out` }),
    ),
    colours: Type.Optional(
      Type.Enum(['rgb', 'bgr'], { description: 'rgb or bgr: the order of the channels; rgb where left out' }),
    ),
    layout: Type.Optional(
      Type.Enum(['nchw', 'nhwc'], { description: 'nchw or nhwc, where the shape of the input does not tell' }),
    ),
    exifOrientation: Type.Optional(
      Type.Boolean({ description: 'true or false: is the image turned as its EXIF says; false where left out' }),
    ),
    scale: Type.Optional(
      Type.Number({ description: 'what each 0…255 byte is multiplied by; 1/255 for float models, 1 for integer ones' }),
    ),
    mean: Channels('the mean to subtract, after scaling,'),
    std: Channels('the standard deviation to divide by, after scaling,', { exclusiveMinimum: 0 }),
  },
  {
    ...closed,
    description: 'image options: resize, crop, interpolation, colours, layout, exifOrientation, scale, mean, std',
  },
)
export type ImageOptions = StaticDecode<typeof imageOptionsSchema>

const paddings = ['none', 'maxLength'] as const

/** `text:` of a model with `adapter: text`. */
export const textOptionsSchema = Type.Object(
  {
    tokenizer: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'the path of a tokenizer.json; the one beside the model where left out',
      }),
    ),
    maxLength: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'tokens of an input with its special tokens, 1 to 1000000',
      }),
    ),
    truncate: Type.Optional(
      Type.Boolean({
        description: 'true or false: is a longer text cut to maxLength, or refused; true where left out',
      }),
    ),
    padding: Type.Optional(
      Type.Enum([...paddings], {
        description: 'none or maxLength: what inputs are padded to; the tokenizer’s own where left out',
      }),
    ),
    padToMultipleOf: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4096,
        description: 'inputs are padded to a multiple of so many tokens, 1 to 4096, so that they meet in batches',
      }),
    ),
    charactersMax: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'characters of a text before it is tokenized, ≥ 1; 100000 where left out',
      }),
    ),
  },
  { ...closed, description: 'text options: tokenizer, maxLength, truncate, padding, padToMultipleOf, charactersMax' },
)
export type TextOptions = StaticDecode<typeof textOptionsSchema>
