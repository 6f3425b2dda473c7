import { createHash } from 'node:crypto'
import type { Role } from '../../vocabulary/role.ts'
import type { ComparatorConfig } from '../config.ts'
import { failure } from '../jobs/errors.ts'
import { looksLikeJwt, OidcTokens } from './oidc.ts'

export interface Bearer {
  name: string
  role: Role
}

/** Finds who a token belongs to; throws `UNAUTHENTICATED` where it is nobody's. */
export type FindBearer = (token: string, digest: string) => Promise<Bearer>

export const digestOfToken = (token: string) => createHash('sha256').update(token).digest('hex')

/**
 * Only digests are configured, and digests are what is looked up, so the time that a look-up takes says nothing about a
 * token. What else has the form of a JWT is for the issuer's keys to judge.
 */
export function tokenBook({ tokens, oidc }: Pick<ComparatorConfig, 'tokens' | 'oidc'>): FindBearer {
  const byDigest = new Map(tokens.map(({ sha256, name, role }) => [sha256, { name, role }]))
  const issued = oidc && new OidcTokens(oidc)
  return async (token, digest) => {
    const bearer = byDigest.get(digest)
    if (bearer) return bearer
    if (issued && looksLikeJwt(token)) return issued.bearerOf(token)
    throw failure('UNAUTHENTICATED', 'this token is not configured')
  }
}
