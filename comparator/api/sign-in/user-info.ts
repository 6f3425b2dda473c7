import type { JWTPayload } from 'jose'
import { failure } from '../../jobs/errors.ts'
import { type Discovery, issuerTimeoutMs } from './oidc-issuer.ts'

/**
 * What the issuer tells the holder of an access token about this person; undefined where it tells nothing. Throws
 * `UNAVAILABLE` where it does not answer.
 */
export async function userInfo(
  { userinfo_endpoint: endpoint }: Discovery,
  accessToken: string,
  sub: string | undefined,
): Promise<JWTPayload | undefined> {
  if (endpoint === undefined) return undefined
  const response = await fetch(endpoint, {
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
    redirect: 'error',
    signal: AbortSignal.timeout(issuerTimeoutMs),
  }).catch((error: unknown) => {
    throw Object.assign(failure('UNAVAILABLE', 'the issuer does not tell who signed in'), { cause: error })
  })
  const body = (await response.json().catch(() => undefined)) as JWTPayload | undefined
  if (response.status >= 500) {
    throw failure('UNAVAILABLE', `the issuer does not tell who signed in: status ${response.status}`)
  }
  // otherwise one person's token could bring another's claims
  return response.ok && body?.sub !== undefined && body.sub === sub ? body : undefined
}
