import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../runtime/api-error.ts'
import { failure } from '../../jobs/errors.ts'
import type { AuthFailures } from './auth-failures.ts'
import { digestOfToken, type Identity, type TokenBook } from './tokens.ts'

/** Identifies the bearer of a token, whichever route it was sent to, and counts wrong tokens by address. */
export class SignInCheck {
  readonly book: TokenBook
  readonly #failures: AuthFailures
  readonly #count: () => void

  /** `count` is called for each wrong token. */
  constructor(book: TokenBook, failures: AuthFailures, count: () => void) {
    this.book = book
    this.#failures = failures
    this.#count = count
  }

  /** Throws `UNAUTHENTICATED`, `FORBIDDEN`, `TOO_MANY_FAILURES` with `retry-after`, or `UNAVAILABLE` (the issuer). */
  async identify(token: string, request: FastifyRequest, reply: FastifyReply): Promise<Identity> {
    const digest = digestOfToken(token)
    this.refuseTooMany(request, reply, digest)
    try {
      const identity = await this.book.identify(token, digest)
      this.#failures.accepted(request.ip, digest)
      return identity
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') this.failed(request)
      throw error
    }
  }

  refuseTooMany(request: FastifyRequest, reply: FastifyReply, digest: string): void {
    const waitMs = this.#failures.waitMs(request.ip, digest)
    if (waitMs <= 0) return
    const seconds = Math.ceil(waitMs / 1000)
    reply.header('retry-after', String(seconds))
    throw failure('TOO_MANY_FAILURES', `too many wrong tokens from ${request.ip}; try again in ${seconds} s`)
  }

  failed(request: FastifyRequest): void {
    this.#count()
    if (!this.#failures.failed(request.ip)) return
    request.log.warn({ address: request.ip }, 'too many wrong tokens from one address: it must wait')
  }
}
