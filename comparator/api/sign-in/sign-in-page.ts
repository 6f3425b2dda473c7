import type { FastifyRequest } from 'fastify'
import { html } from '../html.ts'

/** Whether a person followed a link in a browser, and so wants a page instead of JSON. */
export function isNavigation({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.authorization === undefined && /\btext\/html\b/.test(headers.accept ?? '')
}

export const signInPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Shown in place of a page that needs a session. A browser that follows a link from another site, such as a webmail,
 * does not send our `SameSite=Strict` cookie; the page then reloads itself, and that request from our own site has it.
 */
export function signInPage({ headers }: FastifyRequest): string {
  const isFromElsewhere = headers['sec-fetch-site'] === 'cross-site'
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isFromElsewhere ? html`<meta http-equiv="refresh" content="0">` : ''}
<title>Sign in: Understudy</title>
</head>
<body>
<h1>Sign in first</h1>
<p>You need to sign in to see this page. <a href="/">Sign in</a>, then open the link again.</p>
</body>
</html>
`.text
}
