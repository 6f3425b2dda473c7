import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export interface TestIssuer {
  url: string
  /** The next person to sign in. `wrong` overrides claims in the ID token. */
  person: {
    claims: Record<string, unknown>
    inAccessToken?: Record<string, unknown>
    atUserInfo?: Record<string, unknown>
    wrong?: Record<string, unknown>
  }
  /** The last code redemption, as received. */
  redeemed: { authorization: string | undefined; form: URLSearchParams } | null
  /** The last ID token. */
  idToken?: string
  isAway: boolean
  /** By path: what answers in place of the issuer. */
  instead: Record<string, (response: ServerResponse) => void>
  /** Its page for signing out, if it has one. */
  endSession?: string
  stop(): void
}

/** A small OpenID Connect issuer: discovery, keys, codes with PKCE, and a person who always consents. */
export async function startTestIssuer(client: { id: string; secret?: string }): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const codes = new Map<string, { challenge: string; nonce: string; redirectUri: string }>()
  const sign = (payload: Record<string, unknown>) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
  const seconds = () => Math.floor(Date.now() / 1000)

  const server = createServer(async (request, response) => {
    if (issuer.isAway) return request.socket.destroy()
    const { pathname, searchParams } = new URL(request.url!, issuer.url)
    const other = issuer.instead[pathname]
    if (other) return other(response)
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/.well-known/openid-configuration') {
      return json(200, {
        issuer: issuer.url,
        jwks_uri: `${issuer.url}/keys`,
        authorization_endpoint: `${issuer.url}/authorize?tenant=ml`,
        token_endpoint: `${issuer.url}/token`,
        userinfo_endpoint: `${issuer.url}/userinfo`,
        end_session_endpoint: issuer.endSession,
      })
    }
    if (pathname === '/keys')
      return json(200, { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] })
    if (pathname === '/userinfo') {
      return request.headers.authorization === 'Bearer opaque'
        ? json(200, { sub: 'person-1', ...issuer.person.atUserInfo })
        : json(401, { error: 'invalid_token' })
    }
    if (pathname === '/authorize') {
      const of = (name: string) => searchParams.get(name) ?? ''
      const isRight = of('response_type') === 'code' && of('client_id') === client.id && of('tenant') === 'ml'
      if (!isRight || of('code_challenge_method') !== 'S256' || !of('scope').split(' ').includes('openid')) {
        return json(400, { error: 'invalid_request' })
      }
      const code = randomUUID()
      codes.set(code, { challenge: of('code_challenge'), nonce: of('nonce'), redirectUri: of('redirect_uri') })
      const back = new URL(of('redirect_uri'))
      for (const [name, value] of Object.entries({ code, state: of('state'), iss: issuer.url })) {
        back.searchParams.set(name, value)
      }
      return response.writeHead(302, { location: back.href }).end()
    }
    const form = new URLSearchParams(await textOf(request))
    issuer.redeemed = { authorization: request.headers.authorization, form }
    const attempt = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isClient =
      client.secret === undefined
        ? form.get('client_id') === client.id
        : basicOf(request) === `${client.id}:${client.secret}`
    if (!isClient) return json(401, { error: 'invalid_client' })
    if (attempt?.challenge !== challenge || attempt.redirectUri !== form.get('redirect_uri')) {
      return json(400, { error: 'invalid_grant' })
    }
    const { claims, inAccessToken, wrong } = issuer.person
    const base = { iss: issuer.url, iat: seconds(), exp: seconds() + 60, sub: 'person-1' }
    issuer.idToken = await sign({ ...base, aud: client.id, nonce: attempt.nonce, ...claims, ...wrong })
    return json(200, {
      token_type: 'Bearer',
      id_token: issuer.idToken,
      access_token: inAccessToken ? await sign({ ...base, aud: 'understudy', ...inAccessToken }) : 'opaque',
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: { claims: {} },
    redeemed: null,
    isAway: false,
    instead: {},
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return issuer
}

/** User and secret are percent-encoded separately. */
function basicOf({ headers }: IncomingMessage): string {
  const pair = Buffer.from((headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString()
  return pair.split(':').map(decodeURIComponent).join(':')
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
