import { createHash, randomBytes } from 'node:crypto'
import { ApiError } from '../../../runtime/api-error.ts'
import type { SignInProblem } from '../../../vocabulary/api/sign-in-problem.ts'
import { failure } from '../../jobs/errors.ts'
import type { Bearer } from './bearer.ts'
import { bearerOfClaims, foundIn, looksLikeJwt, type OidcConfig } from './oidc.ts'
import { askIssuer, type Discovery, type OidcIssuer } from './oidc-issuer.ts'
import { userInfo } from './user-info.ts'

/** What the browser's cookie holds while its user is at the issuer. */
export interface SignInAttempt {
  state: string
  nonce: string
  verifier: string
  /** The dashboard's fragment to return to, starting with `#/`. */
  returnTo: string
}

/** The query with which the issuer sends the browser back. */
interface IssuersAnswer {
  code?: string | undefined
  state?: string | undefined
  error?: string | undefined
  error_description?: string | undefined
  iss?: string | undefined
}

/** What an issuer that is in trouble itself sends the browser back with (RFC 6749, section 4.1.2.1). */
const passingErrors: readonly unknown[] = ['server_error', 'temporarily_unavailable']

const random = () => randomBytes(32).toString('base64url')

export function beginAttempt(returnTo: string): SignInAttempt {
  return { state: random(), nonce: random(), verifier: random(), returnTo }
}

/** The URL where the browser signs in (authorization code with PKCE). Throws `UNAVAILABLE`. */
export async function addressAtIssuer(
  issuer: OidcIssuer,
  { clientId, scopes }: OidcConfig,
  { state, nonce, verifier }: SignInAttempt,
  redirectUri: string,
): Promise<string> {
  const url = new URL(endpoint(await issuer.discovery(), 'authorization_endpoint'))
  const parameters = {
    response_type: 'code',
    client_id: clientId!,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/**
 * The page where the browser signs out at the issuer (OpenID Connect RP-Initiated Logout 1.0), for the holder of the ID
 * token, without which some issuers refuse. `null` if the issuer has no such page or does not answer.
 */
export async function signOutAddress(
  issuer: OidcIssuer,
  { clientId }: OidcConfig,
  idToken: string | undefined,
): Promise<string | null> {
  const discovery = await issuer.discovery().catch(() => null)
  const url = URL.parse(String(discovery?.end_session_endpoint))
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  url.searchParams.set('client_id', clientId!)
  if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
  return url.href
}

/**
 * The person who signed in at the issuer, with the ID token that says so. It must be for this client and this attempt.
 * Role and name come from the access token if the API would accept it, else from the ID token, else from the userinfo
 * endpoint. Throws `UNAUTHENTICATED`, `FORBIDDEN` or `UNAVAILABLE`.
 */
export async function finishAttempt(
  issuer: OidcIssuer,
  config: OidcConfig,
  attempt: SignInAttempt,
  answer: IssuersAnswer & { redirectUri: string },
): Promise<Bearer & { idToken: string }> {
  if (answer.state !== attempt.state) throw failure('UNAUTHENTICATED', 'the state is not the one of this attempt')
  if (answer.iss !== undefined && answer.iss !== issuer.url) {
    throw failure('UNAUTHENTICATED', `another issuer answered: ${answer.iss}`)
  }
  if (answer.code === undefined) {
    const problem = passingErrors.includes(answer.error) ? 'UNAVAILABLE' : 'UNAUTHENTICATED'
    throw failure(problem, `the issuer gave no code: ${wordsOf(answer)}`)
  }
  const { code, redirectUri } = answer
  const discovery = await issuer.discovery()
  const tokens = await redeem(discovery, config, { code, redirectUri, verifier: attempt.verifier })
  const idClaims = await issuer.verified(tokens.idToken, config.clientId!)
  if (idClaims.nonce !== attempt.nonce) throw failure('UNAUTHENTICATED', 'the nonce is not the one of this attempt')
  if (idClaims.azp !== undefined && idClaims.azp !== config.clientId) {
    throw failure('UNAUTHENTICATED', 'the ID token was issued for another client')
  }
  const accessClaims = await claimsOfAccess(issuer, config, tokens.accessToken)
  const isSamePerson = accessClaims !== undefined && accessClaims.sub === idClaims.sub
  const claims = isSamePerson ? [accessClaims, idClaims] : [idClaims]
  const { name, role } = foundIn(config, claims)
  if ((name === undefined || role === undefined) && tokens.accessToken !== undefined) {
    // an ID token that comes with an access token need not have more than `sub`
    const more = await userInfo(discovery, tokens.accessToken, idClaims.sub)
    if (more) claims.push(more)
  }
  return { ...bearerOfClaims(config, claims), idToken: tokens.idToken }
}

/** The access token's claims; undefined where it is opaque or for another audience. */
async function claimsOfAccess(issuer: OidcIssuer, { audience }: OidcConfig, token: string | undefined) {
  if (token === undefined || !looksLikeJwt(token)) return undefined
  return issuer.verified(token, audience).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') return undefined
    throw error
  })
}

async function redeem(
  discovery: Discovery,
  { clientId, clientSecret }: OidcConfig,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): Promise<{ idToken: string; accessToken: string | undefined }> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const headers: Record<string, string> = { accept: 'application/json' }
  const methods = discovery.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (clientSecret !== undefined && methods.includes('client_secret_basic')) {
    const pair = `${encodeURIComponent(clientId!)}:${encodeURIComponent(clientSecret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else {
    form.set('client_id', clientId!)
    if (clientSecret !== undefined) form.set('client_secret', clientSecret)
  }
  const url = endpoint(discovery, 'token_endpoint')
  const request = { method: 'POST', headers, body: form }
  const { status, body } = await askIssuer(url, request, 'the issuer is not redeeming codes')
  if (typeof body.id_token !== 'string') {
    throw failure('UNAUTHENTICATED', `the issuer gave no ID token: status ${status}, ${wordsOf(body)}`)
  }
  return {
    idToken: body.id_token,
    accessToken: typeof body.access_token === 'string' ? body.access_token : undefined,
  }
}

/** An issuer's error and what it says about it, for the log. */
function wordsOf({ error, error_description: description }: { error?: unknown; error_description?: unknown }): string {
  const words = [error, description].filter((word) => typeof word === 'string').join(': ')
  return words.slice(0, 500) || 'no error'
}

function endpoint(discovery: Discovery, name: 'authorization_endpoint' | 'token_endpoint'): string {
  const url = discovery[name]
  if (typeof url !== 'string') throw failure('UNAVAILABLE', `the issuer's discovery document has no ${name}`)
  return url
}

/** What the dashboard tells somebody whose sign-in failed. Any other error, as of the database, refuses nobody. */
export function problemOf(error: unknown): SignInProblem {
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'UNAUTHENTICATED') return 'refused'
  return code === 'FORBIDDEN' ? 'noRole' : 'unavailable'
}
