import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test('an issuer that was away is asked again after five seconds, and one that answered is not', async () => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.writeHead(asked === 1 ? 503 : 200).end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const away = new OidcIssuer({ issuer })
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(away.discovery()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  }
  expect(asked).toBe(1)
  for (let attempt = 0; attempt < 3; attempt++) {
    vi.advanceTimersByTime(5_001)
    expect(await away.discovery()).toMatchObject({ issuer })
  }
  expect(asked).toBe(2)
})
