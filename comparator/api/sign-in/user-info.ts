import type { JWTPayload } from 'jose'
import { askIssuer, type Discovery } from './oidc-issuer.ts'

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
  const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}` }
  const { status, body } = await askIssuer(endpoint, { headers }, 'the issuer does not tell who signed in')
  // otherwise one person's token could bring another's claims
  return status === 200 && body.sub !== undefined && body.sub === sub ? body : undefined
}
