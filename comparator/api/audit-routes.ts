import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { AuditPage } from '../../vocabulary/api/audit.ts'
import { AuditOverview } from '../../vocabulary/api/audit-overview.ts'
import { AuditCheck } from '../jobs/promotion/check-audit.ts'
import { listAudit, listAuditFrom, namesInAudit } from '../store/audit/audit.ts'
import type { AppDependencies } from './dependencies.ts'
import { Serial, Text } from './params.ts'
import { Limit, Named, Query } from './query.ts'

const config = { role: 'viewer' as const }
const tags = ['audit']

export function auditRoutes(scope: FastifyInstance, { comparator }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/v1/audit',
    {
      config,
      schema: {
        operationId: 'listAuditEntries',
        tags,
        summary: 'Audit entries, newest first; with `after`, the entries that followed that id, oldest first',
        querystring: Query({
          validation: Named,
          actor: Type.Optional(
            Text(300, { description: 'who did it, at most 300 characters without NUL; left out: anyone' }),
          ),
          after: Type.Optional(Serial('the id of an entry')),
          limit: Limit(500, 100, 'entries'),
          cursor: Type.Optional(Serial('the nextCursor of the page before; left out: the first page')),
        }),
        response: { 200: AuditPage },
      },
    },
    async (request) => {
      const { limit, cursor, after, validation, actor } = request.query
      if (after !== undefined) {
        const entries = await listAuditFrom(comparator.db, limit, after, { validation, actor })
        return { entries, nextCursor: null }
      }
      const found = await listAudit(comparator.db, limit + 1, cursor, { validation, actor })
      const entries = found.slice(0, limit)
      return { entries, nextCursor: found.length > limit ? String(entries.at(-1)!.id) : null }
    },
  )

  const check = new AuditCheck(comparator)
  app.get(
    '/v1/audit/overview',
    {
      config,
      schema: {
        operationId: 'getAuditOverview',
        tags,
        summary: "Whether the audit's hash chain is intact, and which people and validations it names",
        response: { 200: AuditOverview },
      },
    },
    async () => ({ chain: await check.chain(), ...(await namesInAudit(comparator.db)) }),
  )
}
