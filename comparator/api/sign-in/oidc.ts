import type { JWTPayload } from 'jose'
import { stepsOf } from '../../../vocabulary/mapping/pointer-steps.ts'
import { type Role, roles } from '../../../vocabulary/role.ts'
import type { ComparatorConfig } from '../../config.ts'
import { failure } from '../../jobs/errors.ts'
import type { Bearer } from './bearer.ts'
import type { OidcIssuer } from './oidc-issuer.ts'

export type OidcConfig = NonNullable<ComparatorConfig['oidc']>

/** Highest first: a person with several roles gets the highest, and `ingest` only if it is the only one. */
const byRank: readonly Role[] = [...roles].reverse()

export const looksLikeJwt = (token: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

/**
 * The bearer of one of the issuer's JWTs, and when the token expires. Throws `UNAUTHENTICATED` with the reason,
 * `FORBIDDEN` where no claim gives a role, or `UNAVAILABLE`.
 */
export async function bearerOfJwt(issuer: OidcIssuer, config: OidcConfig, token: string) {
  const payload = await issuer.verified(token, config.audience)
  return { ...bearerOfClaims(config, [payload]), until: payload.exp! * 1000 }
}

/** The bearer that the claims describe; throws `UNAUTHENTICATED` or `FORBIDDEN`. */
export function bearerOfClaims(config: OidcConfig, payloads: readonly JWTPayload[]): Bearer {
  const { name, role } = foundIn(config, payloads)
  if (name === undefined) {
    throw failure('UNAUTHENTICATED', `the token has no usable claim ${config.nameClaim} to name its bearer by`)
  }
  if (!role) {
    const claims = new Set(Object.values(config.roles).flatMap((rule) => rule?.claim ?? []))
    const missing = [...claims].filter((claim) => payloads.every((payload) => valuesOf(payload, claim).length === 0))
    const found = missing.length === 0 ? '' : `; the issuer sent no ${missing.join(', no ')}`
    throw failure('FORBIDDEN', `${name} has none of the claims that give a role here${found}`)
  }
  // the prefix keeps an issuer from naming someone like the holder of a configured token
  return { name: `oidc:${name}`, role }
}

/** Name and highest role, each from the first payload that has one. */
export function foundIn({ nameClaim, roles: mapping }: OidcConfig, payloads: readonly JWTPayload[]) {
  const trusted = withoutUnverifiedEmail(payloads)
  return {
    name: trusted.map((payload) => payload[nameClaim]).find(isName),
    role: trusted.map((payload) => roleOf(mapping, payload)).find((found) => found !== undefined),
  }
}

/**
 * Many issuers let people enter any address, also a colleague's, and say only here that nobody has verified it. Not every
 * payload that has the address need say so.
 */
function withoutUnverifiedEmail(payloads: readonly JWTPayload[]): readonly JWTPayload[] {
  // Amazon Cognito writes it as a string
  const isUnverified = payloads.some(({ email_verified }) => String(email_verified) === 'false')
  return isUnverified ? payloads.map(({ email: _, ...others }) => others) : payloads
}

function isName(value: unknown): value is string {
  // control and bidirectional characters could make a name look like another's
  return typeof value === 'string' && value.trim() !== '' && value.length <= 200 && !/\p{C}/u.test(value)
}

function roleOf(mapping: OidcConfig['roles'], payload: JWTPayload): Role | undefined {
  return byRank.find((role) => {
    const rule = mapping[role]
    return rule !== undefined && valuesOf(payload, rule.claim).some((value) => rule.values.includes(value))
  })
}

/** A claim's values: a string, a list of them, or space-separated words as in `scope`. */
function valuesOf(payload: JWTPayload, claim: string): string[] {
  const keys = claim.startsWith('/') ? stepsOf(claim) : [claim]
  let value: unknown = payload
  for (const key of keys) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return []
    value = (value as Record<string, unknown>)[key]
  }
  if (typeof value === 'string') return [value, ...value.split(' ')]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
