import { type StaticDecode, Type } from 'typebox'
import {
  closed,
  closedOptional,
  Duration,
  HttpUrl,
  Listen,
  Name,
  PositiveDuration,
  Size,
  timerMsMax,
} from '../runtime/config/fields.ts'
import { withSemantics } from '../runtime/config/semantics.ts'
import { modelDigestHeader, modelVersionHeader } from '../vocabulary/headers.ts'
import { HeaderName, LiveHeaders } from './config/headers.ts'
import { mirrorProblems } from './config/problems.ts'
import { Route } from './config/route.ts'
import { File, Primary } from './config/upstream.ts'

/** Sent in a header as it is; a token read from a file may end in a line break. */
const Token = Type.String({
  pattern: '^[\\x21-\\x7e]+$',
  description: 'a token with the role ingest, without spaces or line breaks',
})

/** The `mirror:` section. */
export const mirrorSchema = withSemantics(
  Type.Object(
    {
      /** Identifies this mirror among those that report to the comparator. Default: HOST:PORT. */
      name: Type.Optional(Name('the name of this mirror')),
      listen: Listen({ default: '127.0.0.1:8080' }),
      /** Clients must then use TLS, and may negotiate HTTP/2. */
      tls: Type.Optional(
        Type.Object({ cert: File, key: File }, { ...closed, description: 'PEM files: { cert: FILE, key: FILE }' }),
      ),
      admin: Listen({ default: '127.0.0.1:8081' }),
      /** Processes that share the port. Limits apply to all of them together. */
      workers: Type.Integer({ minimum: 1, maximum: 256, default: 1, description: 'a whole number from 1 to 256' }),
      primary: Primary,
      /** What carries plain requests. Upgrades, and whatever `wire` does not handle, always go through http-proxy-3. */
      forwarder: Type.Enum(['wire', 'http-proxy-3'], { default: 'wire', description: 'wire or http-proxy-3' }),
      headers: LiveHeaders,
      /**
       * The longest silence allowed to the primary once it has the whole request, and between two parts of its
       * response.
       */
      timeout: PositiveDuration({ default: '30s', msMax: timerMsMax }),
      /**
       * How long a client's connection may be idle between two requests. A load balancer in front must close first, or
       * it sends a request on a connection that is closing: Google's keeps idle connections for 600 s, AWS's for 60 s.
       */
      idleTimeout: PositiveDuration({ default: '620s', msMax: timerMsMax }),
      /** How long a stopping mirror waits for its clients; shadows and delivery get what is left of it. */
      drain: Duration({ default: '20s', msMax: timerMsMax }),
      comparator: Type.Optional(
        Type.Object(
          { url: HttpUrl(), token: Token },
          { ...closed, description: 'the comparator: { url: URL, token: TOKEN }' },
        ),
      ),
      routes: Type.Array(Route, { default: [], description: 'a list of routes' }),
      /** A route with candidates raises an alarm once nothing has arrived for this long. */
      quietAfter: PositiveDuration({ default: '10m' }),
      accessLog: Type.Object(
        {
          share: Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'the share to log, from 0 to 1' }),
          errors: Type.Boolean({ default: true, description: 'whether all that failed are logged whatever the share' }),
        },
        closedOptional,
      ),
      /** Spans are sent to an OTLP collector over HTTP. */
      tracing: Type.Optional(
        Type.Object(
          {
            url: HttpUrl(),
            share: Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'the share to trace, from 0 to 1' }),
          },
          { ...closed, description: 'an OTLP endpoint: { url: http://127.0.0.1:4318/v1/traces, share: 1 }' },
        ),
      ),
      capture: Type.Object(
        {
          bodyMax: Size({ default: '1MiB' }),
          memoryMax: Size({ default: '256MiB' }),
          headers: Type.Array(HeaderName(), { default: ['content-type'], description: 'a list of header names' }),
          versionHeader: HeaderName({ default: modelVersionHeader }),
          digestHeader: HeaderName({ default: modelDigestHeader }),
        },
        closedOptional,
      ),
      shadow: Type.Object(
        {
          /** Credentials and cookies reach the shadow leg only if they are listed here. */
          allowHeaders: Type.Array(HeaderName(), { default: [], description: 'a list of header names' }),
        },
        closedOptional,
      ),
      spool: Type.Object(
        {
          dir: Type.String({ minLength: 1, default: './data/spool', description: 'a directory' }),
          sizeMax: Size({ default: '1GiB' }),
        },
        closedOptional,
      ),
    },
    closed,
  ),
  mirrorProblems,
)
export type MirrorConfig = StaticDecode<typeof mirrorSchema>
