import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

export interface CertifiedIssuer {
  url: string
  /** Starts anew with another key; nobody is signed in any more. */
  renew(algorithm: Algorithm): Promise<void>
  stop(): void
}

type Algorithm = 'RS256' | 'EdDSA'

interface Settings {
  /** The path of the issuer's URL. */
  path: string
  client: { id: string; secret: string; redirectUri: string }
  /** The claims that each scope stands for. */
  scopes: Record<string, string[]>
  claimsOf(login: string): Record<string, unknown>
}

/**
 * The OpenID Provider of npm, which the OpenID Foundation has certified. Its pages let anybody sign in under any name.
 * As the specification has it, the ID token names nobody but `sub`; all else is at the userinfo endpoint.
 */
export async function startCertifiedIssuer({ path, client, scopes, claimsOf }: Settings): Promise<CertifiedIssuer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  const server = createServer((request, response) => {
    handle(Object.assign(request, { originalUrl: request.url, url: request.url!.slice(path.length) }), response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

  const renew = async (algorithm: Algorithm) => {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
    const provider = new Provider(url, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [client.redirectUri],
          id_token_signed_response_alg: algorithm,
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig' }] },
      enabledJWA: { idTokenSigningAlgValues: [algorithm] },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
      claims: { openid: ['sub'], ...scopes },
      findAccount: (_context: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...claimsOf(sub) }),
      }),
    })
    handle = provider.callback()
  }
  await renew('RS256')
  return {
    url,
    renew,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
