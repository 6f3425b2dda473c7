import { type StaticDecode, Type } from 'typebox'
import { closed, closedOptional, HttpUrl, Listen, Name, PositiveDuration, Size, Url } from '../runtime/config/fields.ts'
import { withSemantics } from '../runtime/config/semantics.ts'
import { webhookEvents } from '../vocabulary/api/webhook.ts'
import { OutputMapping } from '../vocabulary/mapping/output-mapping.ts'
import { type Policy, recentDefault } from '../vocabulary/policy.ts'
import { roles } from '../vocabulary/role.ts'
import { SliceDefinition } from '../vocabulary/slice/slices.ts'
import { GateCheck, GateWindow } from './config/gate.ts'
import { comparatorProblems } from './config/problems.ts'

const Token = Type.Object(
  {
    name: Name('who holds the token'),
    role: Type.Enum([...roles]),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: "the token's SHA-256 as 64 lower-case hex digits" }),
  },
  closed,
)

const Steps = Type.Refine(
  Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), { minItems: 1, default: [1, 10, 50, 100] }),
  (steps) => steps.every((step, i) => i === 0 || step > steps[i - 1]!),
  () => 'percentages that ascend, such as [1, 10, 50, 100]',
)

/** What the live gate tolerates in the answers that clients get. Limits left out follow from the gate's checks. */
const Guard = Type.Object(
  {
    errorRateMax: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'a share from 0 to 1' })),
    errorRateDeltaMax: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'a share from 0 to 1' })),
    latencyP95Max: Type.Optional(PositiveDuration()),
    latencyP99Max: Type.Optional(PositiveDuration()),
    samplesMin: Type.Integer({ minimum: 0, default: 1 }),
  },
  closedOptional,
)

const RoleClaim = Type.Object(
  {
    claim: Type.String({
      pattern: '^(/([^~/]|~[01])*)+$|^[^/]+$',
      maxLength: 200,
      description: 'a claim such as groups, or a pointer into nested ones such as /realm_access/roles',
    }),
    values: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: 'at least one value of the claim' }),
  },
  closed,
)

/** The dashboard calls `/v1/…` of its host, whatever the path of the page. */
const PublicUrl = () => Url('^https?://[^\\s/?#]+/?$', 'a URL without a path, such as https://understudy.example.com')

/** Sign-in of people by JWTs of an OpenID Connect issuer. */
const Oidc = Type.Object(
  {
    issuer: HttpUrl(),
    audience: Type.String({ minLength: 1, description: 'what the tokens are issued for, their aud' }),
    /** Absent: as the issuer's discovery document says. */
    jwksUrl: Type.Optional(HttpUrl()),
    /** The claim whose value names a person in the audit. */
    nameClaim: Type.String({ minLength: 1, default: 'sub' }),
    /** Where set, people can sign in to the dashboard at the issuer (authorization code with PKCE). */
    clientId: Type.Optional(Type.String({ minLength: 1 })),
    /** Absent: a public client. */
    clientSecret: Type.Optional(Type.String({ minLength: 1 })),
    scopes: Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]+$', description: 'scopes without spaces' }), {
      default: ['openid', 'profile', 'email'],
    }),
    /** The dashboard's public URL, needed behind a proxy that rewrites the host. */
    publicUrl: Type.Optional(PublicUrl()),
    roles: Type.Partial(Type.Object(Object.fromEntries(roles.map((role) => [role, RoleClaim]))), closed),
  },
  closed,
)

const Webhook = Type.Object(
  {
    url: Type.String({
      pattern: '^https?://[^\\s/?#]+(/[^\\s#]*)?$',
      description: 'a URL such as https://hooks.example.com/understudy',
    }),
    secret: Type.String({ minLength: 16, description: 'the key of the signature, at least 16 characters' }),
    events: Type.Array(Type.Enum([...webhookEvents]), { minItems: 1, default: [...webhookEvents] }),
  },
  closed,
)

const outputName = '^[a-zA-Z][a-zA-Z0-9_-]{0,49}$'
const outputsMax = 20

const Outputs = Type.Refine(
  Type.Object({}, { additionalProperties: OutputMapping }),
  (outputs) =>
    Object.keys(outputs).length <= outputsMax &&
    Object.keys(outputs).every((name) => new RegExp(outputName).test(name)),
  () => `at most ${outputsMax} outputs by name, of letters, digits, - and _`,
)

const Validation = Type.Object(
  {
    name: Name('the name of a validation'),
    output: OutputMapping,
    /** Further outputs of the same answer, each with metrics of its own: `outputs.NAME.mae`. */
    outputs: Type.Optional(Outputs),
    /** Dimensions to slice the traffic by, beside the built-in ones. */
    slices: Type.Optional(Type.Array(SliceDefinition, { maxItems: 10 })),
    store: Type.Object(
      {
        bodies: Type.Enum(['none', 'worst', 'all'], { default: 'worst' }),
        redact: Type.Array(
          Type.String({
            pattern: '^(/([^~/]|~[01])*)+$',
            description: 'an RFC 6901 pointer in which * stands for any one step, such as /users/*/name',
          }),
          { default: [] },
        ),
        /** Limit on all the validation's kept bodies together; bodies dropped because of it are counted. */
        bytesMax: Size({ default: '1GiB' }),
        /** Request headers kept with the body; all others are dropped. */
        headers: Type.Array(
          Type.String({ pattern: '^[a-z0-9-]+$', description: 'a header name in lower case, such as content-type' }),
          { default: ['content-type'] },
        ),
      },
      closedOptional,
    ),
    window: GateWindow,
    /** An alarm is raised where nothing arrives for this long. */
    quietAfter: PositiveDuration({ default: '10m' }),
    confidence: Type.Number({ exclusiveMinimum: 0.5, exclusiveMaximum: 1, default: 0.95 }),
    approvals: Type.Integer({ minimum: 1, default: 1 }),
    /** Whether requesting a promotion counts as an approval; if not, others must approve. */
    requesterApproves: Type.Boolean({ default: true }),
    gate: Type.Array(GateCheck, { minItems: 1, description: 'at least one check: a metric and its limit' }),
    /** The validation that measures the primary against itself, for checks with `relativeTo: noiseFloor`. */
    noiseFloor: Type.Optional(Name('the name of a validation')),
    rollout: Type.Object(
      {
        steps: Steps,
        stepDuration: PositiveDuration({ default: '10m' }),
        reverseShadow: Type.Boolean({ default: true }),
        guard: Guard,
      },
      closedOptional,
    ),
  },
  closed,
)

/** The section `comparator:`. */
export const comparatorSchema = withSemantics(
  Type.Object(
    {
      listen: Listen({ default: '127.0.0.1:7070' }),
      database: Type.String({
        default: 'embedded:./data/db',
        pattern: '^(embedded:.+|postgres(ql)?://.+)$',
        description: 'embedded:DIRECTORY or a postgres:// URL',
      }),
      tokens: Type.Array(Token, { default: [] }),
      oidc: Type.Optional(Oidc),
      /** Sessions of people who signed in to the dashboard. */
      session: Type.Object({ duration: PositiveDuration({ default: '12h' }) }, closedOptional),
      /** Wrong tokens allowed per address; after that, unknown tokens from it are refused until `per` is over. */
      authFailures: Type.Object(
        { max: Type.Integer({ minimum: 1, default: 100 }), per: PositiveDuration({ default: '1m' }) },
        closedOptional,
      ),
      webhooks: Type.Array(Webhook, { default: [] }),
      retention: Type.Object(
        { observations: PositiveDuration({ default: '14d' }), bodies: PositiveDuration({ default: '3d' }) },
        closedOptional,
      ),
      validations: Type.Array(Validation, { default: [] }),
    },
    closed,
  ),
  comparatorProblems,
)
export type ComparatorConfig = StaticDecode<typeof comparatorSchema>
export type ValidationConfig = ComparatorConfig['validations'][number]

/** What the gate judges by. A change of it starts a new window; a change of storage or rollout settings does not. */
export function policyOf(config: ValidationConfig): Policy {
  const { output, slices, confidence, gate, noiseFloor } = config
  const { recent, ...window } = config.window
  const outputs = config.outputs as Record<string, OutputMapping> | undefined
  return {
    output,
    // the default stays out of the digest, so that windows from before this setting existed go on
    window: { ...window, ...(recent !== recentDefault && { recent }) },
    confidence,
    gate,
    ...(outputs !== undefined && Object.keys(outputs).length > 0 && { outputs }),
    ...(slices !== undefined && slices.length > 0 && { slices }),
    ...(noiseFloor !== undefined && { noiseFloor }),
  }
}
