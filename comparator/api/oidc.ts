import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose'
import { type Role, roles } from '../../vocabulary/role.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ComparatorConfig } from '../config.ts'
import { failure } from '../jobs/errors.ts'
import type { Bearer } from './tokens.ts'

type OidcConfig = NonNullable<ComparatorConfig['oidc']>

/** Asymmetric ones only: with a shared secret the issuer's public key would do as one. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const clockToleranceSeconds = 30
const issuerTimeoutMs: Milliseconds = 5_000
/** A key that is not known yet is asked for at most so often; so is an issuer that does not answer. */
const askAgainAfterMs: Milliseconds = 5_000
const keysKeptMs: Milliseconds = 600_000

/** From the highest: who has several has the highest, and `ingest` only by itself. */
const byRank: readonly Role[] = [...roles].reverse()

export const looksLikeJwt = (token: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

/**
 * Takes JWTs of an OpenID Connect issuer: signature by its key set (kept for ten minutes, read again where a token
 * names a key that is not in it), `iss`, `aud`, `exp`, `nbf`; the role from the claims that the config names. Throws
 * `UNAUTHENTICATED` with the reason, or `UNAVAILABLE` where the issuer does not answer: that is nobody's wrong token.
 */
export class OidcTokens {
  readonly #config: OidcConfig
  #keys: Promise<RemoteJWKSet> | undefined
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(config: OidcConfig) {
    this.#config = config
  }

  async bearerOf(token: string): Promise<Bearer> {
    const { issuer, audience, nameClaim } = this.#config
    const payload = await this.#verified(token, { issuer, audience })
    const name = payload[nameClaim]
    if (typeof name !== 'string' || name === '' || name.length > 200) {
      throw failure('UNAUTHENTICATED', `the token has no usable claim ${nameClaim} to name its bearer by`)
    }
    const role = roleOf(this.#config.roles, payload)
    if (!role) throw failure('FORBIDDEN', `${name} has none of the claims that give a role here`)
    // no issuer can name someone like the holder of a configured token
    return { name: `oidc:${name}`, role }
  }

  async #verified(token: string, expected: { issuer: string; audience: string }): Promise<JWTPayload> {
    try {
      const keys = await this.#keySet()
      const options = { ...expected, algorithms, clockTolerance: clockToleranceSeconds, requiredClaims: ['exp'] }
      return (await jwtVerify(token, keys, options)).payload
    } catch (error) {
      const isTokens = error instanceof errors.JOSEError && !isIssuersFault(error)
      if (isTokens) throw failure('UNAUTHENTICATED', `the token does not hold: ${error.message}`)
      throw Object.assign(failure('UNAVAILABLE', 'the OpenID Connect issuer does not answer with its keys'), {
        cause: error,
      })
    }
  }

  /** Found once; where it could not be found, asked for again after a while. */
  #keySet(): Promise<RemoteJWKSet> {
    const now = performance.now()
    if (!this.#keys || now - this.#askedAt > askAgainAfterMs) {
      const before = this.#keys
      this.#askedAt = now
      this.#keys = before ? before.catch(() => this.#findKeySet()) : this.#findKeySet()
    }
    return this.#keys
  }

  async #findKeySet(): Promise<RemoteJWKSet> {
    const url = this.#config.jwksUrl ?? (await discover(this.#config.issuer))
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: issuerTimeoutMs,
      cooldownDuration: askAgainAfterMs,
      cacheMaxAge: keysKeptMs,
    })
  }
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(issuerTimeoutMs) })
  const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown }
  if (document.issuer !== issuer || typeof document.jwks_uri !== 'string') {
    throw new Error(`${url} is not the discovery document of ${issuer}`)
  }
  return document.jwks_uri
}

function isIssuersFault(error: errors.JOSEError): boolean {
  return error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC'
}

function roleOf(mapping: OidcConfig['roles'], payload: JWTPayload): Role | undefined {
  return byRank.find((role) => {
    const rule = mapping[role]
    return rule !== undefined && valuesOf(payload, rule.claim).some((value) => rule.values.includes(value))
  })
}

/** A claim's texts: one, a list, or words with spaces between as `scope` has them. */
function valuesOf(payload: JWTPayload, claim: string): string[] {
  const keys = claim.startsWith('/')
    ? claim
        .slice(1)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    : [claim]
  let value: unknown = payload
  for (const key of keys) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return []
    value = (value as Record<string, unknown>)[key]
  }
  if (typeof value === 'string') return [value, ...value.split(' ')]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
