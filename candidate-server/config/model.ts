import { type StaticDecode, Type } from 'typebox'
import { closed, closedOptional, Duration, timerMsMax as msMax, Name } from '../../runtime/config/fields.ts'
import { imageOptionsSchema, textOptionsSchema } from './adapter-options.ts'
import { dispatchSchema } from './dispatch.ts'
import { sessionSchema } from './session.ts'

/** A per-model count that overrides `cpu:`. */
const OwnCount = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1024, description: `the number of ${what}, 1 to 1024` }))

const Settings = Type.Object(
  {
    name: Name('the model’s name in URLs'),
    version: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
      default: '1',
      description: 'a version in quotes, such as "3": letters, digits, dot, dash or underscore',
    }),
    path: Type.String({ minLength: 1, description: 'the path of an ONNX file' }),
    batch: Type.Object(
      {
        sizeMax: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 4096,
            description:
              'rows in a batch, 1 to 4096; where left out and the model takes batches 8, or as many as it is fixed at',
          }),
        ),
        delayMax: Duration({ default: '0ms', msMax }),
      },
      closedOptional,
    ),
    instances: OwnCount('instances of this model'),
    threads: OwnCount('threads of each of its instances'),
    dispatch: Type.Optional(dispatchSchema),
    session: sessionSchema,
    adapter: Type.String({
      pattern: '^(tensor|image|text|(\\.{0,2}/).+\\.(ts|js|mjs|mts))$',
      default: 'tensor',
      description: 'tensor, image, text, or the path of a module such as ./my-adapter.ts',
    }),
    paths: Type.Array(Type.String({ pattern: '^/[^?#\\s]*$', description: 'a path such as /api/classify' }), {
      default: [],
      description: 'paths beside /predictions/NAME that the adapter answers at',
    }),
    labels: Type.Optional(
      Type.Array(Type.String(), { minItems: 2, uniqueItems: true, description: 'at least two distinct labels' }),
    ),
    image: Type.Optional(imageOptionsSchema),
    text: Type.Optional(textOptionsSchema),
  },
  closed,
)

const countsOnce = (model: { dispatch?: unknown; instances?: unknown; threads?: unknown }) =>
  model.dispatch === undefined || (model.instances === undefined && model.threads === undefined)

export const Model = Type.Refine(
  Settings,
  countsOnce,
  () => 'instances and threads in the groups of dispatch, or beside it, not both',
)

export type ModelConfig = StaticDecode<typeof Model>
