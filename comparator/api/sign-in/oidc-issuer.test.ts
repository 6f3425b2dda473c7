import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { OidcIssuer } from './oidc-issuer.ts'

/** Why the issuer at `path` is not accepted, as the log has it. */
async function refusalOf(path: string, status: number, document: object) {
  const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(document)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const refusal = await new OidcIssuer({ issuer: `${origin}${path}` }).discovery().catch((error) => error)
  return { code: refusal.code, cause: refusal.cause.message.replaceAll(origin, '') }
}

test('a wrong issuer in the config is told from one that is away', async () => {
  expect(await refusalOf('/common/v2.0', 200, { issuer: 'https://login.example.com/{tenantid}/v2.0' })).toEqual({
    code: 'UNAVAILABLE',
    cause:
      '/common/v2.0/.well-known/openid-configuration is the discovery document of https://login.example.com/{tenantid}/v2.0',
  })
  expect(await refusalOf('/realms/lm', 404, { error: 'no such realm' })).toEqual({
    code: 'UNAVAILABLE',
    cause: '/realms/lm/.well-known/openid-configuration answered with status 404',
  })
})
