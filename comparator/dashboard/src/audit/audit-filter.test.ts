import { expect, test } from 'vitest'
import { auditHref, auditPath, parseAuditFilter } from './audit-filter.ts'

test('an address restores its filter, whatever the names contain', () => {
  for (const filter of [
    { validation: null, actor: null },
    { validation: 'digits', actor: null },
    { validation: 'a&b=c', actor: 'oidc:ana@example.com #1' },
  ]) {
    expect(parseAuditFilter(auditHref(filter))).toEqual(filter)
  }
  expect(auditHref({ validation: null, actor: '' })).toBe('#/audit')
  expect(auditPath({ validation: 'a b', actor: null })).toBe('/v1/audit?limit=50&validation=a+b')
})
