import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionView } from '../../../vocabulary/api/session.ts'
import type { OidcIssuer } from './oidc-issuer.ts'
import { sessionSecretIn, setSessionCookie } from './session-cookie.ts'
import { csrfOf, type OpenSession, type Sessions } from './sessions.ts'
import type { SignInCheck } from './sign-in-check.ts'
import type { Identity } from './tokens.ts'

export interface SessionParts {
  check: SignInCheck
  sessions: Sessions
  issuer: OidcIssuer | undefined
}

/** Signs the bearer in. Ends the browser's previous session first, which would otherwise live on unseen. */
export async function beginSession(
  { sessions }: SessionParts,
  request: FastifyRequest,
  reply: FastifyReply,
  identity: Identity,
): Promise<SessionView> {
  const before = sessionSecretIn(request)
  if (before !== undefined) await sessions.end(before)
  const { secret, session } = await sessions.open(identity)
  setSessionCookie(request, reply, secret, new Date(session.expiresAt))
  request.log.info({ actor: session.name, role: session.role }, 'signed in')
  return viewSession(session, secret)
}

export function viewSession({ name, role, expiresAt }: OpenSession, secret: string): SessionView {
  return { name, role, csrf: csrfOf(secret), expiresAt: new Date(expiresAt).toISOString() }
}
