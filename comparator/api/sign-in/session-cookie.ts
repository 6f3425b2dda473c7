import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

const sessionCookie = 'understudy-session'
const secretPattern = /^[\w-]{43}$/

/** Whether the browser's connection was TLS, as the proxy in front says. A false claim only makes cookies stricter. */
export function cameOverTls(request: FastifyRequest): boolean {
  const forwarded = request.headers['x-forwarded-proto']
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',')[0]?.trim()
  return request.protocol === 'https' || first === 'https'
}

/**
 * A cookie's name at this address. With `__Host-` the browser itself enforces Secure, the path `/` and this host alone.
 * The port is part of the name because browsers share cookies between all ports of a host, so also between comparators.
 */
export function cookieName(request: FastifyRequest, name: string): string {
  const port = /:(\d{1,5})$/.exec(request.host)?.[1]
  return `${cameOverTls(request) ? '__Host-' : ''}${name}${port === undefined ? '' : `-${port}`}`
}

/** Options for all our cookies; `__Host-` requires `path` and `secure`. */
export function cookieOptions(request: FastifyRequest, sameSite: 'strict' | 'lax'): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite, secure: cameOverTls(request) }
}

/** The session secret in a request's cookie, if it is well-formed. */
export function sessionSecretIn(request: FastifyRequest): string | undefined {
  const value = request.cookies[cookieName(request, sessionCookie)]
  return value !== undefined && secretPattern.test(value) ? value : undefined
}

/** Scripts cannot read the cookie, and pages of other sites cannot make a browser send it. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, secret: string, expires: Date): void {
  reply.setCookie(cookieName(request, sessionCookie), secret, { ...cookieOptions(request, 'strict'), expires })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request, sessionCookie), cookieOptions(request, 'strict'))
}
