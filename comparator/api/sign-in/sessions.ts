import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { EpochMs, Milliseconds } from '../../../vocabulary/units.ts'
import type { Comparator } from '../../jobs/comparator.ts'
import { deleteSession, findSession, insertSession } from '../../store/sign-in/sessions.ts'
import type { Bearer } from './bearer.ts'
import { sealText, unsealText } from './sealed-text.ts'
import { digestOfToken, type Identity, type TokenBook } from './tokens.ts'

export interface OpenSession extends Bearer {
  expiresAt: EpochMs
  /** Whether the OpenID Connect issuer says who they are. */
  isOfIssuer: boolean
}

/** A longer ID token is not kept: the link that it is sent by would be too long for some servers. */
const idTokenCharsMax = 3000

/**
 * The sessions of people on the dashboard. The browser holds a random secret and the database its hash, so several
 * comparators share sessions and readers of the database cannot use them. A session ends at sign-out, when it expires,
 * and when the credential that opened it leaves the config. Its role is always the config's current one.
 */
export class Sessions {
  readonly #comparator: Pick<Comparator, 'db' | 'clock'>
  readonly #book: TokenBook
  readonly #duration: Milliseconds

  constructor(comparator: Pick<Comparator, 'db' | 'clock'>, book: TokenBook, duration: Milliseconds) {
    this.#comparator = comparator
    this.#book = book
    this.#duration = duration
  }

  async open({
    name,
    role,
    credential,
    until,
    idToken = '',
  }: Identity): Promise<{ secret: string; session: OpenSession }> {
    const { db, clock } = this.#comparator
    const now = clock.now()
    const expiresAt = Math.min(now + this.#duration, until ?? Number.POSITIVE_INFINITY)
    const secret = randomBytes(32).toString('base64url')
    await insertSession(db, {
      hash: digestOfToken(secret),
      credential,
      name,
      role,
      created_at: new Date(now),
      expires_at: new Date(expiresAt),
      id_token: idToken === '' || idToken.length > idTokenCharsMax ? null : sealText(secret, idToken),
    })
    return { secret, session: { name, role, expiresAt, isOfIssuer: this.#isOfIssuer(credential) } }
  }

  async find(secret: string): Promise<OpenSession | undefined> {
    const { db, clock } = this.#comparator
    const row = await findSession(db, digestOfToken(secret))
    if (!row) return undefined
    const expiresAt = row.expires_at.getTime()
    const holder = expiresAt > clock.now() ? this.#book.holderOf(row) : undefined
    if (!holder) await deleteSession(db, row.hash)
    return holder && { ...holder, expiresAt, isOfIssuer: this.#isOfIssuer(row.credential) }
  }

  #isOfIssuer(credential: string): boolean {
    return credential === this.#book.oidcCredential
  }

  /** Returns the ID token that it was opened with, if that was kept. */
  async end(secret: string): Promise<string | undefined> {
    const ended = await deleteSession(this.#comparator.db, digestOfToken(secret))
    return ended?.id_token ? unsealText(secret, ended.id_token) : undefined
  }
}

/** The token that a page must send beside the cookie. It is derived from the secret and does not reveal it. */
export function csrfOf(secret: string): string {
  return createHmac('sha256', secret).update('understudy-csrf').digest('base64url')
}

export function isCsrfOf(secret: string, given: unknown): boolean {
  if (typeof given !== 'string') return false
  const expected = Buffer.from(csrfOf(secret))
  const found = Buffer.from(given)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
