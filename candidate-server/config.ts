import { type StaticDecode, Type } from 'typebox'
import {
  closed,
  closedOptional,
  Duration,
  Listen,
  timerMsMax as msMax,
  PositiveDuration,
  Size,
} from '../runtime/config/fields.ts'
import { withSemantics } from '../runtime/config/semantics.ts'
import { Cpu } from './config/cpu.ts'
import { Model } from './config/model.ts'
import { candidateServerProblems } from './config/problems.ts'

const Section = Type.Object(
  {
    listen: Listen({ default: '127.0.0.1:8090' }),
    cpu: Cpu,
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
    models: Type.Array(Model, { minItems: 1, description: 'at least one model, each with a name and a path' }),
  },
  { ...closed, description: 'the candidate server: listen, cpu, queue, limits, models' },
)

/** The `candidateServer:` section. */
export const candidateServerSchema = withSemantics(Section, candidateServerProblems)

export type CandidateServerConfig = StaticDecode<typeof candidateServerSchema>
