import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { MirrorsView } from '../../vocabulary/mirrors.ts'
import { viewMirrors } from '../jobs/views/view-mirrors.ts'
import type { AppDependencies } from './dependencies.ts'

export function mirrorRoutes(scope: FastifyInstance, { comparator }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/v1/mirrors',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listMirrors',
        tags: ['mirrors'],
        summary: 'Mirrors and the candidate servers that they reach',
        response: { 200: MirrorsView },
      },
    },
    async () => viewMirrors(comparator),
  )
}
