import { type StaticDecode, Type } from 'typebox'
import { closed, Duration, PositiveDuration, timerMsMax, Url } from '../../runtime/config/fields.ts'

/** `http://…`, `https://…`, or `unix:/run/app.sock` for HTTP over a Unix socket. */
export const UpstreamUrl = () =>
  Url(
    '^(https?://[^\\s/?#]+(/[^\\s?#]*)?|unix:/[^\\s?#]+)$',
    'a URL such as http://127.0.0.1:9000, or unix:/run/app.sock',
  )

export const File = Type.String({ minLength: 1, description: 'a file' })

/** For `https:` upstreams. */
export const UpstreamTls = Type.Object(
  {
    ca: Type.Optional(Type.String({ minLength: 1, description: 'a PEM file of the authorities to trust instead' })),
    serverName: Type.Optional(Type.String({ minLength: 1, description: 'the name that the certificate must carry' })),
    verify: Type.Boolean({ default: true, description: 'true, or false to accept any certificate' }),
    /** The mirror's own certificate and its key, for an upstream that asks for one. */
    cert: Type.Optional(File),
    key: Type.Optional(File),
  },
  { ...closed, description: '{ ca: FILE, serverName: NAME, verify: true, cert: FILE, key: FILE }' },
)

const HealthCheck = Type.Object(
  {
    path: Type.String({ pattern: '^/[^#\\s]*$', description: 'a path, such as /ping' }),
    interval: PositiveDuration({ default: '5s', msMax: timerMsMax }),
    timeout: PositiveDuration({ default: '2s', msMax: timerMsMax }),
    unhealthyAfter: Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'failures in a row, 1 to 100' }),
    healthyAfter: Type.Integer({ minimum: 1, maximum: 100, default: 2, description: 'successes in a row, 1 to 100' }),
  },
  { ...closed, description: 'a health check: { path: /ping, interval: 5s, timeout: 2s }' },
)

/** One app server, or several interchangeable ones that take turns. */
export const Primary = Type.Union(
  [
    UpstreamUrl(),
    Type.Object(
      {
        urls: Type.Array(UpstreamUrl(), { minItems: 1, description: 'a list of URLs' }),
        tls: Type.Optional(UpstreamTls),
        healthCheck: Type.Optional(HealthCheck),
        /** How long an upstream that could not be reached is skipped while others are available. */
        rest: Duration({ default: '5s' }),
      },
      closed,
    ),
  ],
  { description: 'a URL such as http://127.0.0.1:9000, or { urls: [URL, ...], healthCheck: { path: /ping } }' },
)

export type UpstreamTlsConfig = StaticDecode<typeof UpstreamTls>
export type HealthCheckConfig = StaticDecode<typeof HealthCheck>
interface PrimaryConfig {
  urls: string[]
  tls?: UpstreamTlsConfig
  healthCheck?: HealthCheckConfig
  rest: number
}

/** Expands either form to the long one. */
export function primaryOf(primary: StaticDecode<typeof Primary>): PrimaryConfig {
  return typeof primary === 'string' ? { urls: [primary], rest: 0 } : primary
}
