import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The browser itself holds `__Host-` to Secure, to `/` and to this host alone. */
const names = { secure: '__Host-understudy-session', plain: 'understudy-session' }
const secretPattern = /^[\w-]{43}$/

/** Whether the browser's own connection was TLS; a proxy in front says so. Lying about it only makes a cookie stricter. */
export function cameOverTls(request: FastifyRequest): boolean {
  const forwarded = request.headers['x-forwarded-proto']
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',')[0]?.trim()
  return request.protocol === 'https' || first === 'https'
}

const nameFor = (request: FastifyRequest) => (cameOverTls(request) ? names.secure : names.plain)

/** The session's secret that came with a request. */
export function sessionSecretIn(request: FastifyRequest): string | undefined {
  const value = request.cookies[nameFor(request)]
  return value !== undefined && secretPattern.test(value) ? value : undefined
}

/** No script reads it, and no other site's page makes a browser send it. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, secret: string, expires: Date): void {
  reply.setCookie(nameFor(request), secret, { ...optionsFor(request), expires })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(nameFor(request), optionsFor(request))
}

function optionsFor(request: FastifyRequest): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: cameOverTls(request) }
}
