import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

const sessionCookie = 'understudy-session'
const secretPattern = /^[\w-]{43}$/

/** Whether the browser's own connection was TLS; a proxy in front says so. Lying about it only makes a cookie stricter. */
export function cameOverTls(request: FastifyRequest): boolean {
  const forwarded = request.headers['x-forwarded-proto']
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',')[0]?.trim()
  return request.protocol === 'https' || first === 'https'
}

/**
 * A cookie's name at this address. The browser itself holds `__Host-` to Secure, to `/` and to this host alone. It
 * sends the cookies of all ports to each of them, so those of two comparators on one host differ by the port.
 */
export function cookieName(request: FastifyRequest, name: string): string {
  const port = /:(\d{1,5})$/.exec(request.host)?.[1]
  return `${cameOverTls(request) ? '__Host-' : ''}${name}${port === undefined ? '' : `-${port}`}`
}

/** What a cookie of ours needs for its name to hold. */
export function cookieOptions(request: FastifyRequest, sameSite: 'strict' | 'lax'): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite, secure: cameOverTls(request) }
}

/** The session's secret that came with a request. */
export function sessionSecretIn(request: FastifyRequest): string | undefined {
  const value = request.cookies[cookieName(request, sessionCookie)]
  return value !== undefined && secretPattern.test(value) ? value : undefined
}

/** No script reads it, and no other site's page makes a browser send it. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, secret: string, expires: Date): void {
  reply.setCookie(cookieName(request, sessionCookie), secret, { ...cookieOptions(request, 'strict'), expires })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request, sessionCookie), cookieOptions(request, 'strict'))
}
