import type { FastifyInstance } from 'fastify'
import { viewMirrors } from '../jobs/view-mirrors.ts'
import type { AppDependencies } from './dependencies.ts'

/** Who reports to this comparator. */
export function mirrorRoutes(app: FastifyInstance, { comparator }: AppDependencies): void {
  app.get(
    '/v1/mirrors',
    {
      config: { role: 'viewer' },
      schema: { summary: 'Mirrors and the candidate servers that they reach', security: [{ bearer: [] }] },
    },
    async () => viewMirrors(comparator),
  )
}
