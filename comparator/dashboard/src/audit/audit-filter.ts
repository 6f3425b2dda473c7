/** Which entries are shown; `null`: all. Kept in the page's address, so that a link shows the same. */
export interface AuditFilter {
  validation: string | null
  actor: string | null
}

export function parseAuditFilter(hash: string): AuditFilter {
  const search = new URLSearchParams(hash.split('?', 2)[1] ?? '')
  return { validation: search.get('validation'), actor: search.get('actor') }
}

export function auditHref(filter: AuditFilter): string {
  const query = queryOf(filter)
  return query === '' ? '#/audit' : `#/audit?${query}`
}

/** The API path for this filter. */
export function auditPath(filter: AuditFilter): string {
  const query = queryOf(filter)
  return `/v1/audit?limit=50${query === '' ? '' : `&${query}`}`
}

function queryOf(filter: AuditFilter): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value)
  return search.toString()
}
