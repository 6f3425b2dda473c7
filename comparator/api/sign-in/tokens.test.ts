import { expect, test } from 'vitest'
import type { OidcConfig } from './oidc.ts'
import { TokenBook } from './tokens.ts'

const oidc: OidcConfig = {
  issuer: 'https://login.example.com',
  audience: 'understudy',
  nameClaim: 'email',
  clientId: 'dashboard',
  clientSecret: 'a secret',
  scopes: ['openid'],
  roles: { approver: { claim: 'groups', values: ['signs'] } },
}
const bookWith = (change: Partial<OidcConfig>) => new TokenBook({ tokens: [], oidc: { ...oidc, ...change } }, undefined)

test('a session of the issuer’s ends with every change of its settings but the secret', () => {
  const ana = { name: 'oidc:ana@example.com', role: 'approver' } as const
  const session = { ...ana, credential: bookWith({}).oidcCredential! }
  expect(bookWith({ clientSecret: 'another' }).holderOf(session)).toEqual(ana)
  const changes: Partial<OidcConfig>[] = [
    { issuer: 'https://login.example.org' },
    { audience: 'another' },
    { nameClaim: 'sub' },
    { roles: { approver: { claim: 'groups', values: ['others'] } } },
  ]
  for (const change of changes) expect([change, bookWith(change).holderOf(session)]).toEqual([change, undefined])
  expect(new TokenBook({ tokens: [] }, undefined).holderOf(session)).toBeUndefined()
})
