import { type StaticDecode, Type } from 'typebox'
import {
  closed,
  closedOptional,
  Duration,
  Listen,
  timerMsMax as msMax,
  Name,
  PositiveDuration,
  Size,
} from '../runtime/config/fields.ts'
import { withSemantics } from '../runtime/config/semantics.ts'
import { imageOptionsSchema, textOptionsSchema } from './adapter/options.ts'
import { dispatchSchema } from './batch/dispatch-config.ts'
import { candidateServerProblems } from './config-problems.ts'
import { allocatorChoices } from './instance/allocator.ts'
import { sessionSchema } from './instance/session-config.ts'

const Count = (what: string) =>
  Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 1, maximum: 1024 })], {
    default: 'auto',
    description: `auto, or the number of ${what}, 1 to 1024`,
  })

/** A per-model count that overrides `cpu:`. */
const OwnCount = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1024, description: `the number of ${what}, 1 to 1024` }))

const Model = Type.Object(
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

const ModelOnce = Type.Refine(
  Model,
  countsOnce,
  () => 'instances and threads in the groups of dispatch, or beside it, not both',
)

const Section = Type.Object(
  {
    listen: Listen({ default: '127.0.0.1:8090' }),
    cpu: Type.Object(
      {
        instances: Count('instances of each model'),
        threads: Count('threads of each instance'),
        allocator: Type.Enum([...allocatorChoices], {
          default: 'auto',
          description: `one of ${allocatorChoices.join(', ')}; auto takes jemalloc or tcmalloc where installed`,
        }),
        straddleNuma: Type.Boolean({
          default: false,
          description: 'true or false: may an instance span NUMA nodes, or cores of different speeds',
        }),
        spinning: Type.Union([Type.Literal('auto'), Type.Boolean()], {
          default: 'auto',
          description:
            'auto, true or false: do idle threads wait busily for the next operator; auto: within a run, unless others have the same cores',
        }),
        hugePages: Type.Boolean({
          default: false,
          description: 'true or false: does the allocator ask for transparent huge pages',
        }),
        watch: Duration({ default: '5s', msMax }),
      },
      closedOptional,
    ),
    queue: Type.Object(
      {
        max: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 256,
          description: 'requests that may wait for a model, or for each group of its dispatch; ≥ 1',
        }),
        timeout: PositiveDuration({ default: '10s', msMax }),
      },
      closedOptional,
    ),
    limits: Type.Object(
      {
        bodyMax: Size({ default: '16MiB' }),
        bodyTimeout: PositiveDuration({ default: '30s', msMax }),
        bodiesMax: Size({ default: '256MiB' }),
        imagePixelsMax: Type.Integer({
          minimum: 1,
          default: 50_000_000,
          description: 'pixels of an image before it is decoded, ≥ 1',
        }),
        rowsMax: Type.Integer({
          minimum: 1,
          default: 1024,
          description: 'rows in one request to a model that takes batches, ≥ 1',
        }),
        outputMax: Size({ default: '64MiB' }),
        startTimeout: PositiveDuration({ default: '120s', msMax }),
        runTimeout: PositiveDuration({ default: '60s', msMax }),
        runRssMax: Type.Union([Type.Literal('none'), Size()], {
          default: 'none',
          description: 'none, or a size such as 6GiB: memory over which an instance is ended in the middle of a run',
        }),
        drainTimeout: Duration({ default: '20s', msMax }),
        recycleAfter: Type.Optional(
          Type.Integer({ minimum: 1, description: 'runs after which an instance gets a fresh process, ≥ 1' }),
        ),
        rssMax: Type.Union([Type.Literal('auto'), Type.Literal('none'), Size()], {
          default: 'auto',
          description:
            'auto, none, or a size such as 4GiB: memory over which an instance gets a fresh process; auto: twice what it has with its model warm, and 512MiB',
        }),
      },
      closedOptional,
    ),
    models: Type.Array(ModelOnce, { minItems: 1, description: 'at least one model, each with a name and a path' }),
  },
  { ...closed, description: 'the candidate server: listen, cpu, queue, limits, models' },
)

/** The `candidateServer:` section. */
export const candidateServerSchema = withSemantics(Section, candidateServerProblems)

export type CandidateServerConfig = StaticDecode<typeof candidateServerSchema>
export type ModelConfig = CandidateServerConfig['models'][number]
