import { createHash } from 'node:crypto'
import type { EpochMs } from '../../vocabulary/units.ts'
import type { ComparatorConfig } from '../config.ts'
import { failure } from '../jobs/errors.ts'
import type { Bearer } from './bearer.ts'
import { bearerOfJwt, looksLikeJwt, type OidcConfig } from './oidc.ts'
import type { OidcIssuer } from './oidc-issuer.ts'

/** A bearer with what they showed: `credential` is its digest, which a session remembers. */
export interface Identity extends Bearer {
  credential: string
  /** When what they showed ends by itself; `null`: not before it leaves the config. */
  until: EpochMs | null
}

export const digestOfToken = (token: string) => createHash('sha256').update(token).digest('hex')

/**
 * Who a token belongs to. Only digests are configured, and digests are what is looked up, so the time that a look-up
 * takes says nothing about a token. What else has the form of a JWT is for the issuer's keys to judge.
 */
export class TokenBook {
  readonly #byDigest: ReadonlyMap<string, Bearer>
  readonly #issued: { issuer: OidcIssuer; config: OidcConfig } | undefined
  /** Of everything that gives people of the issuer their names and roles: a change of it ends their sessions. */
  readonly oidcCredential: string | undefined

  constructor({ tokens, oidc }: Pick<ComparatorConfig, 'tokens' | 'oidc'>, issuer: OidcIssuer | undefined) {
    this.#byDigest = new Map(tokens.map(({ sha256, name, role }) => [sha256, { name, role }]))
    this.#issued = oidc && issuer && { issuer, config: oidc }
    const { clientSecret: _, ...rule } = oidc ?? {}
    this.oidcCredential = oidc && digestOfToken(JSON.stringify(rule))
  }

  /** Throws `UNAUTHENTICATED` where it is nobody's. */
  async identify(token: string, digest: string): Promise<Identity> {
    const bearer = this.#byDigest.get(digest)
    if (bearer) return { ...bearer, credential: digest, until: null }
    if (this.#issued && looksLikeJwt(token)) {
      const { issuer, config } = this.#issued
      return { ...(await bearerOfJwt(issuer, config, token)), credential: this.oidcCredential! }
    }
    throw failure('UNAUTHENTICATED', 'this token is not configured')
  }

  /** Whom a session stands for by the config of now; undefined where that no longer lets them in. */
  holderOf({ credential, name, role }: Omit<Identity, 'until'>): Bearer | undefined {
    const configured = this.#byDigest.get(credential)
    if (configured) return configured
    return credential === this.oidcCredential ? { name, role } : undefined
  }
}
