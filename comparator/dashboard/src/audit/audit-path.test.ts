import { expect, test } from 'vitest'
import { auditPath } from './audit-path.ts'

test('the audit is asked only for what its address names', () => {
  expect(auditPath({ validation: null, actor: null })).toBe('/v1/audit?limit=50')
  expect(auditPath({ validation: 'a b', actor: 'oidc:ana' })).toBe('/v1/audit?limit=50&validation=a+b&actor=oidc%3Aana')
})
