import fastifyCookie from '@fastify/cookie'
import fastifySwagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyBaseLogger, fastify, LogController } from 'fastify'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { failure } from '../jobs/errors.ts'
import { answerErrors, answerUnroutable } from './answer-errors.ts'
import { auditRoutes } from './audit-routes.ts'
import { checkRequest } from './check-request.ts'
import { compressAnswers } from './compress-answers.ts'
import { serveDashboard } from './dashboard.ts'
import type { AppDependencies } from './dependencies.ts'
import { dossierRoutes } from './dossier/dossier-routes.ts'
import { gateRoutes } from './gate-routes.ts'
import { healthRoutes } from './health-routes.ts'
import { ingestRoutes } from './ingest-routes.ts'
import { metricsRoutes } from './metrics-routes.ts'
import { mirrorRoutes } from './mirror-routes.ts'
import { observationRoutes } from './observation-routes.ts'
import { apiTags } from './openapi/api-tags.ts'
import type { NamedSchemas } from './openapi/openapi-schema.ts'
import { completeDocument, publishedSchema } from './openapi/published-schema.ts'
import { promotionRoutes } from './promotion-routes.ts'
import { refuseUnknownParameters } from './query.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'
import { routingRoutes } from './routing-routes.ts'
import { AuthFailures } from './sign-in/auth-failures.ts'
import { authorize } from './sign-in/authorize.ts'
import { OidcIssuer } from './sign-in/oidc-issuer.ts'
import { sessionRoutes } from './sign-in/session-routes.ts'
import { Sessions } from './sign-in/sessions.ts'
import { SignInCheck } from './sign-in/sign-in-check.ts'
import { TokenBook } from './sign-in/tokens.ts'
import { validationRoutes } from './validation-routes.ts'

/** An observation carries up to three bodies of the mirror's `bodyMax`, in base64. */
const bodyBytesMax: Bytes = 32 * 1024 * 1024
/** How often to check for requests that take too long to arrive. */
const lookForSlowMs: Milliseconds = 1000

/** The comparator's HTTP API with every route, its role and its schema. The caller lets it listen. */
export async function createApp(dependencies: AppDependencies) {
  const { auth, comparator, metrics, slowClientMs } = dependencies
  const app = fastify({
    loggerInstance: comparator.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyBytesMax,
    forceCloseConnections: 'idle',
    // if headersTimeout were longer than requestTimeout, Node would use it for the whole request
    http: { connectionsCheckingInterval: lookForSlowMs, headersTimeout: slowClientMs / 2 },
    requestTimeout: slowClientMs,
    connectionTimeout: slowClientMs,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: answerUnroutable,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.removeContentTypeParser('text/plain')
  app.setValidatorCompiler(checkRequest)
  // response schemas serve documentation and types only: answers keep fields that their schema omits
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
  // many clients send a content-type without a body
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null) : parseJson(request, body as string, done),
  )
  answerErrors(app)
  compressAnswers(app)
  // the dashboard computes ages from it
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('date', new Date(comparator.clock.now()).toUTCString())
  })
  app.addHook('preParsing', async ({ headers }) => {
    const hasBody = Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined
    const coding = headers['content-encoding'] || 'identity'
    if (hasBody && coding.toLowerCase() !== 'identity') {
      throw failure('UNSUPPORTED_MEDIA_TYPE', `content-encoding: expected a body as it is, got ${coding}`)
    }
  })
  await app.register(fastifyCookie)
  const issuer = auth.oidc && new OidcIssuer(auth.oidc)
  const book = new TokenBook(auth, issuer)
  const failures = new AuthFailures(auth.authFailures, () => comparator.clock.monotonic())
  const check = new SignInCheck(book, failures, () => metrics.countWrongToken())
  const sessions = new Sessions(comparator, book, auth.session.duration)
  authorize(app, check, sessions)
  const named: NamedSchemas = new Map()
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Understudy comparator',
        version: '1',
        description: 'Evidence, gate and promotion. See README.md.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: apiTags,
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: ({ schema = {}, url, route: { method, config = {} } }) => ({
      schema: publishedSchema({ schema, method, config }, named),
      url,
    }),
  })
  await app.register(async (scope) => {
    const refuseOthers = refuseOtherMethods(scope)
    refuseUnknownParameters(scope)
    healthRoutes(scope, dependencies)
    ingestRoutes(scope, dependencies)
    routingRoutes(scope, dependencies)
    validationRoutes(scope, dependencies)
    gateRoutes(scope, dependencies)
    metricsRoutes(scope, dependencies)
    observationRoutes(scope, dependencies)
    mirrorRoutes(scope, dependencies)
    promotionRoutes(scope, dependencies)
    dossierRoutes(scope, dependencies)
    auditRoutes(scope, dependencies)
    await scope.register(async (own) => sessionRoutes(own, dependencies, { check, sessions, issuer }))
    // made once and shared by all answers: anyone may ask for it, any number of times without reading
    let document: Buffer | undefined
    scope.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(completeDocument(app.swagger(), named)))
      return reply.type('application/json; charset=utf-8').send(document)
    })
    refuseOthers()
  })
  await serveDashboard(app)
  await app.ready()
  return app
}
