import { type StaticDecode, Type } from 'typebox'
import { closed, Name, PositiveDuration, timerMsMax } from '../../runtime/config/fields.ts'
import { HeaderEdits, HeaderName } from './headers.ts'
import { UpstreamTls, UpstreamUrl } from './upstream.ts'

const Correlation = Type.Union(
  [
    Type.Object({ header: HeaderName() }, closed),
    Type.Object(
      {
        pointer: Type.String({
          pattern: '^(/([^~/]|~[01])*)*$',
          description: 'an RFC 6901 pointer into the JSON request body, such as /id',
        }),
      },
      closed,
    ),
  ],
  {
    default: { header: 'x-request-id' },
    description: 'where the correlation id is: { header: NAME } or { pointer: /path/in/body }',
  },
)

const Share = (options: { default?: number } = {}) =>
  Type.Number({ minimum: 0, maximum: 1, description: 'the share of exchanges to mirror, from 0 to 1', ...options })

/** Limits that each shadow leg has for itself. */
const shadowLimits = {
  deadline: PositiveDuration({ default: '10s', msMax: timerMsMax }),
  concurrency: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 32,
    description: 'shadow requests in flight at once, a whole number from 1 to 10000',
  }),
  queue: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    description: 'shadow requests that may wait, a whole number from 0 to 1000000',
  }),
  /** Which request a full queue drops. */
  shed: Type.Enum(['newest', 'oldest'], { default: 'newest', description: 'newest or oldest' }),
  /**
   * Retries of a shadow request that could not be sent or whose connection broke. The deadline covers all of its
   * attempts.
   */
  retries: Type.Integer({ minimum: 0, maximum: 5, default: 0, description: 'a whole number from 0 to 5' }),
  breaker: Type.Object(
    {
      failures: Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        default: 20,
        description: 'failures in a row that open it, a whole number; 0 for no breaker',
      }),
      cooldown: PositiveDuration({ default: '5s' }),
    },
    { ...closed, default: {}, description: 'a circuit breaker: { failures: 20, cooldown: 5s }' },
  ),
  headers: HeaderEdits,
}

const Candidate = Type.Object(
  {
    validation: Name('the name of a validation'),
    url: UpstreamUrl(),
    tls: Type.Optional(UpstreamTls),
    share: Share({ default: 1 }),
    ...shadowLimits,
    /** Edits to live requests sent to this candidate; `headers` applies to its shadow requests. */
    liveHeaders: HeaderEdits,
  },
  { ...closed, description: 'a candidate: { validation: NAME, url: URL }' },
)

/** The primary against itself: its second answers become the observations of a validation of their own. */
const NoiseFloor = Type.Object(
  { validation: Name('the name of a validation'), share: Share(), ...shadowLimits },
  { ...closed, description: 'a noise floor: { validation: NAME, share: 0.05 }' },
)

export const Route = Type.Object(
  {
    /** Compared with the path as it arrives, in which other characters are percent-encoded. */
    path: Type.String({
      pattern: '^(?!.*/\\.{1,2}(/|$))/[!"$->@-~]*$',
      description: 'a path prefix as clients send it: /, then ASCII (é is %C3%A9), without segments such as ..',
    }),
    methods: Type.Array(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']), {
      minItems: 1,
      default: ['POST'],
      description: 'a list of HTTP methods, such as [POST]',
    }),
    correlation: Correlation,
    candidates: Type.Array(Candidate, { default: [], description: 'a list of candidates' }),
    noiseFloor: Type.Optional(NoiseFloor),
  },
  { ...closed, description: 'a route: { path: /PREFIX, candidates: [...] }' },
)
export type RouteConfig = StaticDecode<typeof Route>
export type CandidateConfig = RouteConfig['candidates'][number]

/** Two routes must not share a prefix: the second would get no requests. */
export const prefixOf = (path: string): string => path.replace(/\/+$/, '')
