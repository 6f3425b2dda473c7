import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { decode } from '@msgpack/msgpack'
import type { FastifyInstance } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { CoverageReport, MirroredValidation } from '../../vocabulary/coverage.ts'
import { Label } from '../../vocabulary/label.ts'
import { MirrorReport } from '../../vocabulary/mirrors.ts'
import { AcceptReceipt, Observation } from '../../vocabulary/observation.ts'
import { failure } from '../jobs/errors.ts'
import { acceptCoverage } from '../jobs/intake/accept-coverage.ts'
import { acceptLabels } from '../jobs/intake/accept-labels.ts'
import { acceptObservations } from '../jobs/intake/accept-observations.ts'
import { noteMirror } from '../jobs/intake/note-mirror.ts'
import type { AppDependencies } from './dependencies.ts'

const itemsMax = 10_000
const Items = Type.Array(Type.Unknown(), { maxItems: itemsMax, description: 'a list of at most 10,000' })

/** Takes in what mirrors and label sources send. A bad item is rejected alone; the rest of its bundle is accepted. */
export function ingestRoutes(scope: FastifyInstance, { comparator, metrics, hasRoom }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  // binary data is refused: a schema check treats it as an object with a member per byte, so 30 MB would take gigabytes
  app.addContentTypeParser(
    ['application/x-msgpack', 'application/msgpack'],
    { parseAs: 'buffer' },
    (_request, body, done) => {
      try {
        done(null, decode(body as Buffer, { maxBinLength: 0 }))
      } catch (error) {
        const expected = 'whole MessagePack without binary data: only what JSON has too'
        const details = [{ in: 'body', path: '', expected }]
        done(failure('BAD_REQUEST', `the body: expected ${expected}: ${(error as Error).message}`, details))
      }
    },
  )

  // senders keep what is refused and try again. Coverage is exempt: counts and heartbeats take little room
  const requireRoom = async () => {
    if (!(await hasRoom())) throw failure('UNAVAILABLE', 'the disk of comparator.database is nearly full')
  }

  const options = (operationId: string, summary: string, body: TProperties, items: TProperties = {}) => ({
    config: { role: 'ingest' as const, publishedBody: Type.Object({ ...body, ...items }) },
    schema: { operationId, tags: ['delivery'], summary, body: Type.Object(body), response: { 202: AcceptReceipt } },
  })

  const observations = options(
    'deliverObservations',
    'Deliver observations',
    { observations: Items },
    { observations: Type.Array(Observation, { maxItems: itemsMax, description: 'at most 10,000' }) },
  )
  const eitherFormat = { ...observations.schema, consumes: ['application/json', 'application/x-msgpack'] }
  app.post(
    '/v1/observations',
    { ...observations, schema: eitherFormat, preHandler: requireRoom },
    async (request, reply) => {
      const { observations } = request.body as { observations: unknown[] }
      const timer = metrics.acceptSeconds.startTimer()
      const receipt = await acceptObservations(comparator, observations)
      timer()
      metrics.countReceipt(receipt)
      return reply.code(202).send(receipt)
    },
  )

  const labels = options(
    'deliverLabels',
    'Deliver labels: the ground truth',
    { labels: Items },
    { labels: Type.Array(Label, { maxItems: itemsMax, description: 'at most 10,000' }) },
  )
  app.post('/v1/labels', { ...labels, preHandler: requireRoom }, async (request, reply) => {
    const { labels } = request.body as { labels: unknown[] }
    return reply.code(202).send(await acceptLabels(comparator, labels))
  })

  const coverage = {
    reports: Items,
    mirrors: Type.Array(MirroredValidation, {
      maxItems: itemsMax,
      default: [],
      description: 'a list of at most 10,000: what the mirror mirrors for',
    }),
    // checked separately: the counts are accepted even if a mirror of another version describes itself differently
    mirror: Type.Optional(Type.Unknown({ description: 'how the mirror is' })),
  }
  const inFull = {
    reports: Type.Array(CoverageReport, { maxItems: itemsMax, description: 'at most 10,000' }),
    mirror: Type.Optional(MirrorReport),
  }
  const counts = options('deliverCoverage', "Deliver a mirror's counts and heartbeat", coverage, inFull)
  app.post('/v1/coverage', counts, async (request, reply) => {
    const { reports, mirrors, mirror } = request.body as {
      reports: unknown[]
      mirrors: MirroredValidation[]
      mirror?: unknown
    }
    if (mirror !== undefined) await noteMirror(comparator, mirror)
    return reply.code(202).send(await acceptCoverage(comparator, reports, mirrors))
  })
}
