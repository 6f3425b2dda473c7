import type { AuditRoute } from '../routing/hash-route.ts'

/** The API's path for the entries that an address names. */
export function auditPath({ validation, actor }: Pick<AuditRoute, 'validation' | 'actor'>): string {
  const search = new URLSearchParams({ limit: '50' })
  if (validation !== null) search.set('validation', validation)
  if (actor !== null) search.set('actor', actor)
  return `/v1/audit?${search}`
}
