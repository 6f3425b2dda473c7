import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose'
import type { ApiError } from '../../../runtime/api-error.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { failure } from '../../jobs/errors.ts'

/** Asymmetric only: if symmetric ones were allowed, the issuer's public key could serve as the shared secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const clockToleranceSeconds = 30
const issuerTimeoutMs: Milliseconds = 5_000
/** Minimum time between two requests for an unknown key, or to an issuer that does not answer. */
const askAgainAfterMs: Milliseconds = 5_000
const keysKeptMs: Milliseconds = 600_000

/** The members of the discovery document that are used here. */
export interface Discovery {
  issuer: string
  jwks_uri: string
  authorization_endpoint?: string
  token_endpoint?: string
  userinfo_endpoint?: string
  end_session_endpoint?: string
  token_endpoint_auth_methods_supported?: string[]
}

/** An OpenID Connect issuer: its endpoints, and the verification of its tokens. */
export class OidcIssuer {
  readonly url: string
  readonly #discovery: Asked<Discovery>
  readonly #keys: Asked<RemoteJWKSet>

  constructor({ issuer, jwksUrl }: { issuer: string; jwksUrl?: string | undefined }) {
    this.url = issuer
    this.#discovery = new Asked(() => discover(issuer))
    this.#keys = new Asked(async () => keySetAt(jwksUrl ?? (await this.#discovery.answer()).jwks_uri))
  }

  /** Throws `UNAVAILABLE` where the issuer does not answer. */
  async discovery(): Promise<Discovery> {
    return this.#discovery.answer().catch((error: unknown) => {
      throw unavailable('the OpenID Connect issuer did not return its discovery document', error)
    })
  }

  /**
   * The claims of a JWT, once its signature, `iss`, `aud`, `exp` and `nbf` are verified. Throws `UNAUTHENTICATED` with
   * the reason, or `UNAVAILABLE` where the issuer does not answer, which does not count as a wrong token.
   */
  async verified(token: string, audience: string): Promise<JWTPayload> {
    try {
      const keys = await this.#keys.answer()
      const expected = { issuer: this.url, audience, algorithms, requiredClaims: ['exp'] }
      return (await jwtVerify(token, keys, { ...expected, clockTolerance: clockToleranceSeconds })).payload
    } catch (error) {
      const isTokens = error instanceof errors.JOSEError && !isIssuersFault(error)
      if (isTokens) throw failure('UNAUTHENTICATED', `the token is not valid: ${error.message}`)
      throw unavailable('the OpenID Connect issuer did not return its keys', error)
    }
  }
}

/** Fetches an answer once and keeps it; if that failed, fetches again after `askAgainAfterMs`. */
class Asked<Answer> {
  readonly #ask: () => Promise<Answer>
  #answer: Promise<Answer> | undefined
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(ask: () => Promise<Answer>) {
    this.#ask = ask
  }

  answer(): Promise<Answer> {
    const now = performance.now()
    if (!this.#answer || now - this.#askedAt > askAgainAfterMs) {
      const before = this.#answer
      this.#askedAt = now
      this.#answer = before ? before.catch(() => this.#ask()) : this.#ask()
    }
    return this.#answer
  }
}

async function discover(issuer: string): Promise<Discovery> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(issuerTimeoutMs) })
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`)
  const document = (await response.json()) as Partial<Discovery>
  if (document.issuer !== issuer) throw new Error(`${url} is the discovery document of ${document.issuer}`)
  if (typeof document.jwks_uri !== 'string') throw new Error(`${url} has no jwks_uri`)
  return document as Discovery
}

/**
 * An endpoint's answer; a body that is no JSON object reads as an empty one. Throws `UNAVAILABLE` with `problem` where
 * the issuer does not answer in full, or not now.
 */
export async function askIssuer(
  url: string,
  request: RequestInit,
  problem: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  try {
    const response = await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(issuerTimeoutMs) })
    const text = await response.text()
    const { status } = response
    if (status >= 500 || status === 429) throw new Error(`${url} answered with status ${status}`)
    return { status, body: objectIn(text) }
  } catch (error) {
    throw unavailable(problem, error)
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function keySetAt(url: string): RemoteJWKSet {
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: issuerTimeoutMs,
    cooldownDuration: askAgainAfterMs,
    cacheMaxAge: keysKeptMs,
  })
}

function isIssuersFault(error: errors.JOSEError): boolean {
  return error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC'
}

function unavailable(message: string, cause: unknown): ApiError {
  return Object.assign(failure('UNAVAILABLE', message), { cause })
}
