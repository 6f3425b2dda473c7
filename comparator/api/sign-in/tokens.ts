import { createHash } from 'node:crypto'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { ComparatorConfig } from '../../config.ts'
import { failure } from '../../jobs/errors.ts'
import type { Bearer } from './bearer.ts'
import { bearerOfJwt, looksLikeJwt, type OidcConfig } from './oidc.ts'
import type { OidcIssuer } from './oidc-issuer.ts'

/** A bearer and their credential: the digest of what they showed, which their sessions keep. */
export interface Identity extends Bearer {
  credential: string
  /** When the credential expires; `null`: only when it leaves the config. */
  until: EpochMs | null
  /** By which the issuer knows, at a sign-out, whose session there is to end. */
  idToken?: string
}

export const digestOfToken = (token: string) => createHash('sha256').update(token).digest('hex')

/**
 * Finds the bearer of a token. Only digests are configured and looked up, so a look-up's timing reveals nothing about a
 * token. Any other token in the form of a JWT is verified with the issuer's keys.
 */
export class TokenBook {
  readonly #byDigest: ReadonlyMap<string, Bearer>
  readonly #issued: { issuer: OidcIssuer; config: OidcConfig } | undefined
  /** Digest of all settings that give the issuer's people their names and roles: changing them ends their sessions. */
  readonly oidcCredential: string | undefined

  constructor({ tokens, oidc }: Pick<ComparatorConfig, 'tokens' | 'oidc'>, issuer: OidcIssuer | undefined) {
    this.#byDigest = new Map(tokens.map(({ sha256, name, role }) => [sha256, { name, role }]))
    this.#issued = oidc && issuer && { issuer, config: oidc }
    const { clientSecret: _, ...rule } = oidc ?? {}
    this.oidcCredential = oidc && digestOfToken(JSON.stringify(rule))
  }

  /** Throws `UNAUTHENTICATED` for an unknown token, or what `bearerOfJwt` throws. */
  async identify(token: string, digest: string): Promise<Identity> {
    const bearer = this.#byDigest.get(digest)
    if (bearer) return { ...bearer, credential: digest, until: null }
    if (this.#issued && looksLikeJwt(token)) {
      const { issuer, config } = this.#issued
      return { ...(await bearerOfJwt(issuer, config, token)), credential: this.oidcCredential! }
    }
    throw failure('UNAUTHENTICATED', 'this token is not configured')
  }

  /** A session's bearer by the current config; undefined where that no longer lets them in. */
  holderOf({ credential, name, role }: Omit<Identity, 'until'>): Bearer | undefined {
    const configured = this.#byDigest.get(credential)
    if (configured) return configured
    return credential === this.oidcCredential ? { name, role } : undefined
  }
}
