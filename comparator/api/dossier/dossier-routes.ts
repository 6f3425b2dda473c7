import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Dossier } from '../../../vocabulary/api/dossier.ts'
import { compileDossier } from '../../jobs/views/dossier.ts'
import type { AppDependencies } from '../dependencies.ts'
import { Uuid } from '../params.ts'
import { Query } from '../query.ts'
import { dossierPolicy } from './dossier-style.ts'

const formats = {
  description: 'the dossier',
  content: {
    'application/json': { schema: Dossier },
    'text/html': { schema: Type.String({ description: 'a page to print' }) },
  },
}

export function dossierRoutes(scope: FastifyInstance, { comparator }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/v1/promotions/:id/dossier',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'getDossier',
        tags: ['promotions'],
        summary: 'Everything that a promotion rested on and led to, as JSON or as a page to print',
        params: Type.Object({ id: Uuid('of a promotion') }),
        querystring: Query({
          format: Type.Optional(
            Type.Enum(['json', 'html'], { description: 'left out: what `accept` prefers, else JSON' }),
          ),
        }),
        response: { 200: formats },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const dossier = await compileDossier(comparator, id)
      const format = request.query.format ?? (/\btext\/html\b/.test(request.headers.accept ?? '') ? 'html' : 'json')
      reply.header('vary', 'accept')
      if (format === 'json') return dossier
      // loaded only now: the charts would cost 29 MB and a quarter of the CPU time of a start, and few ask for the page
      const { dossierPage } = await import('./dossier-page.ts')
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', dossierPolicy)
        .header('content-disposition', `inline; filename="dossier-${id}.html"`)
        .send(dossierPage(dossier))
    },
  )
}
