import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { OidcIssuer } from '../comparator/api/sign-in/oidc-issuer.ts'
import { comparatorSchema } from '../comparator/config.ts'
import { type Role, roleAllows, roles } from '../vocabulary/role.ts'
import { classification, startTestComparator, type TestComparator, tokenConfig, tokens } from './support/comparator.ts'
import { decode } from './support/services.ts'

const operator = 'op-token'
const allTokens = [
  ...tokenConfig,
  { name: 'opal', role: 'operator', sha256: createHash('sha256').update(operator).digest('hex') },
]
const tokenOf: Record<Role, string> = {
  ingest: tokens.ingest,
  viewer: tokens.viewer,
  operator,
  approver: tokens.approver,
  admin: tokens.admin,
}

/** The minimum role for each call, deliberately duplicated here. */
const needed: Record<string, Role | 'anyone'> = {
  'get /healthz': 'anyone',
  'get /readyz': 'anyone',
  'get /metrics': 'anyone',
  'post /v1/observations': 'ingest',
  'post /v1/labels': 'ingest',
  'post /v1/coverage': 'ingest',
  'get /v1/routing': 'ingest',
  'post /v1/session': 'anyone',
  'delete /v1/session': 'viewer',
  'get /v1/session/ways': 'anyone',
  'get /v1/session/oidc': 'anyone',
  'get /v1/session/oidc/callback': 'anyone',
  'post /v1/validations/{name}/promotion': 'approver',
  'post /v1/promotions/{id}/approve': 'approver',
  'post /v1/promotions/{id}/reject': 'approver',
  'post /v1/promotions/{id}/abort': 'approver',
  'post /v1/promotions/{id}/rollback': 'approver',
}

describe('every call of the OpenAPI document', () => {
  let comparator: TestComparator
  let operations: { method: string; path: string; role: Role | undefined }[]

  beforeAll(async () => {
    comparator = await startTestComparator([classification], { more: { tokens: allTokens } })
    const { body } = await comparator.call('GET', '/openapi.json', { token: '' })
    operations = Object.entries<Record<string, { 'x-role'?: Role }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, role: operation['x-role'] })),
    )
  })
  afterAll(() => comparator?.close())

  const attempt = ({ method, path }: { method: string; path: string }, token: string, headers = {}) =>
    comparator.call(
      method.toUpperCase(),
      path.replace('{name}', 'nobody').replace(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000'),
      { token, headers, ...(method === 'post' && { body: {} }) },
    )

  test('is known to this test, or readable by viewers', () => {
    const paths = operations.map(({ method, path }) => `${method} ${path}`)
    expect(paths.length).toBeGreaterThan(18)
    expect(paths).toEqual(expect.arrayContaining(Object.keys(needed)))
    for (const { method, path, role } of operations) {
      const expected = needed[`${method} ${path}`] ?? 'viewer'
      expect([method, path, role ?? 'anyone']).toEqual([method, path, expected])
      if (!needed[`${method} ${path}`]) expect(method).toBe('get')
    }
  })

  test('is refused without a token, with a wrong one, and with one in the wrong place', async () => {
    for (const operation of operations.filter(({ role }) => role !== undefined)) {
      const { path } = operation
      expect([path, (await attempt(operation, '')).status]).toEqual([path, 401])
      expect([path, (await attempt(operation, 'wrong')).status]).toEqual([path, 401])
      const basic = { authorization: `Basic ${Buffer.from(`x:${tokens.admin}`).toString('base64')}` }
      expect([path, (await attempt(operation, '', basic)).status]).toEqual([path, 401])
    }
  })

  test('is open to exactly the roles that may make it', async () => {
    for (const operation of operations) {
      for (const held of roles) {
        const { status } = await attempt(operation, tokenOf[held])
        const may = operation.role === undefined || roleAllows(held, operation.role)
        const outcome = status === 401 || status === 403 ? 'refused' : 'let in'
        expect([operation.path, held, outcome]).toEqual([operation.path, held, may ? 'let in' : 'refused'])
      }
    }
  })

  test('the order of roles matches the documentation', () => {
    const may = (held: Role) => roles.filter((role) => roleAllows(held, role))
    expect(may('ingest')).toEqual(['ingest'])
    expect(may('viewer')).toEqual(['viewer'])
    expect(may('operator')).toEqual(['viewer', 'operator'])
    expect(may('approver')).toEqual(['viewer', 'operator', 'approver'])
    expect(may('admin')).toEqual([...roles])
  })
})

describe('wrong tokens', () => {
  let comparator: TestComparator
  beforeAll(async () => {
    comparator = await startTestComparator([classification], { more: { authFailures: { max: 5, per: '1h' } } })
  })
  afterAll(() => comparator?.close())

  test('are not checked beyond the limit; tokens that were valid before still work, and a missing one is not an attempt', async () => {
    const get = (token: string) => comparator.call('GET', '/v1/session', { token })
    expect((await get(tokens.viewer)).status).toBe(200)
    for (let i = 0; i < 20; i++) expect((await get('')).status).toBe(401)
    for (let i = 0; i < 5; i++) expect((await get(`guess-${i}`)).status).toBe(401)
    const limited = await get('guess-6')
    expect(limited).toMatchObject({ status: 429, body: { code: 'TOO_MANY_FAILURES' } })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3500)
    expect((await get(tokens.admin)).status).toBe(429)
    expect((await get(tokens.viewer)).status).toBe(200)
    const { body } = await comparator.call('GET', '/metrics', { token: '' })
    expect(body).toContain('\nunderstudy_comparator_wrong_tokens_total 5\n')
  })
})

describe('a JWT of an OpenID Connect issuer', () => {
  let issuer: string
  let server: Server
  let keys: { publicKey: CryptoKey; privateKey: CryptoKey; kid: string }[] = []
  let served: typeof keys = []
  let isAway = false
  let keyReads = 0
  let comparator: TestComparator
  /** Another comparator, which never reached the issuer. */
  let lonely: TestComparator

  async function documentAt(path: string) {
    if (path === '/.well-known/openid-configuration') return { issuer, jwks_uri: `${issuer}/keys` }
    keyReads++
    const jwks = served.map(async ({ publicKey, kid }) => ({ ...(await exportJWK(publicKey)), kid, alg: 'ES256' }))
    return { keys: await Promise.all(jwks) }
  }
  const newKey = async (kid: string) => ({ ...(await generateKeyPair('ES256', { extractable: true })), kid })

  beforeAll(async () => {
    keys = [await newKey('one'), await newKey('two'), await newKey('stranger')]
    served = [keys[0]!]
    server = createServer(async (request, response) => {
      if (isAway) request.socket.destroy()
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(await documentAt(request.url!)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const oidc = {
      issuer,
      audience: 'understudy',
      nameClaim: 'email',
      roles: {
        viewer: { claim: 'groups', values: ['ml'] },
        approver: { claim: '/realm_access/roles', values: ['signs'] },
      },
    }
    comparator = await startTestComparator([classification], { more: { oidc } })
    lonely = await startTestComparator([classification], { more: { oidc } })
  })
  afterAll(async () => {
    await comparator?.close()
    await lonely?.close()
    server?.closeAllConnections()
    server?.close()
  })

  const claims = { email: 'ana@example.com', groups: ['ml', 'other'], realm_access: { roles: ['signs'] } }
  const now = () => Math.floor(Date.now() / 1000)
  async function jwt(
    change: Record<string, unknown> = {},
    signing: { key?: (typeof keys)[number]; kid?: string } = {},
  ) {
    const { key = keys[0]! } = signing
    const { kid = key.kid } = signing
    const payload = { iss: issuer, aud: 'understudy', iat: now(), exp: now() + 60, ...claims, ...change }
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(key.privateKey)
  }
  const session = async (token: string) => {
    const { status, body } = await comparator.call('GET', '/v1/session', { token })
    return { status, ...body }
  }

  test('gives its bearer a name and the highest role of its claims', async () => {
    expect(await session(await jwt())).toEqual({ status: 200, name: 'oidc:ana@example.com', role: 'approver' })
    expect(await session(await jwt({ realm_access: undefined }))).toMatchObject({ status: 200, role: 'viewer' })
    expect(await session(await jwt({ realm_access: undefined, groups: 'ml' }))).toMatchObject({ role: 'viewer' })
  })

  test('opens a session that ends with it', async () => {
    const exp = now() + 60
    const { status, body } = await comparator.call('POST', '/v1/session', {
      token: '',
      body: { token: await jwt({ exp }) },
    })
    expect([status, body.expiresAt]).toEqual([200, new Date(exp * 1000).toISOString()])
  })

  test('is verified with the keys at jwksUrl, where that is configured', async () => {
    const iss = 'http://127.0.0.1:9'
    const undiscovered = new OidcIssuer({ issuer: iss, jwksUrl: `${issuer}/keys` })
    expect(await undiscovered.verified(await jwt({ iss }), 'understudy')).toMatchObject(claims)
  })

  test('must come from this issuer, for us, in time, signed by its key, and give a role and a name', async () => {
    expect(await session(await jwt({ iss: 'http://evil.example' }))).toMatchObject({ status: 401 })
    expect(await session(await jwt({ aud: 'another' }))).toMatchObject({ status: 401 })
    expect(await session(await jwt({ exp: now() - 60 }))).toMatchObject({
      status: 401,
      message: expect.stringContaining('exp'),
    })
    expect(await session(await jwt({ exp: undefined }))).toMatchObject({ status: 401 })
    expect(await session(await jwt({ nbf: now() + 120 }))).toMatchObject({ status: 401 })
    expect(await session(await jwt({}, { key: keys[2]!, kid: 'one' }))).toMatchObject({ status: 401 })
    for (const email of [undefined, ' ', 'ana@example.com\u202e', 'ana@example.com\n']) {
      expect([email, (await session(await jwt({ email }))).status]).toEqual([email, 401])
    }
    expect(await session(await jwt({ groups: [], realm_access: { roles: ['signs-not'] } }))).toMatchObject({
      status: 403,
      message: 'ana@example.com has none of the claims that give a role here; the issuer sent no groups',
    })
    const tampered = (await jwt()).split('.')
    tampered[1] = Buffer.from(
      JSON.stringify({ iss: issuer, aud: 'understudy', exp: now() + 60, ...claims, email: 'root' }),
    ).toString('base64url')
    expect(await session(tampered.join('.'))).toMatchObject({ status: 401 })
  })

  test('that is unsigned, or signed with the public key as a secret, is invalid', async () => {
    const body = Buffer.from(JSON.stringify({ iss: issuer, aud: 'understudy', exp: now() + 60, ...claims })).toString(
      'base64url',
    )
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
    expect((await session(none)).status).toBe(401)
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(keys[0]!.publicKey)))
    const hmac = await new SignJWT({ iss: issuer, aud: 'understudy', exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(secret)
    expect((await session(hmac)).status).toBe(401)
  })

  test('costs the issuer nothing while its key is known, and a new key is fetched when a token names it', async () => {
    await session(await jwt())
    const before = keyReads
    for (let i = 0; i < 20; i++) expect((await session(await jwt())).status).toBe(200)
    expect(keyReads).toBe(before)

    served = [keys[1]!]
    const rotated = await jwt({}, { key: keys[1]! })
    // the issuer is asked for unknown keys once in five seconds
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_001 })
    try {
      expect((await session(rotated)).status).toBe(200)
      expect((await session(await jwt())).status).toBe(401)
    } finally {
      vi.useRealTimers()
    }
    expect(keyReads - before).toBe(1)
  })

  test('admits nobody under a config without a role, which is refused as a whole', () => {
    const configured = (mapping: object) =>
      decode({ oidc: { issuer, audience: 'understudy', roles: mapping } }, 'comparator', comparatorSchema)
    expect(() => configured({})).toThrow(/oidc\.roles/)
    expect(() => configured({ aprover: { claim: 'groups', values: ['ml'] } })).toThrow(/oidc\.roles\.aprover/)
    expect(() => configured({ approver: { claim: 'groups', values: [] } })).toThrow(/at least one value/)
    expect(() => configured({ approver: { claim: 'groups', values: ['ml'] } })).not.toThrow()
  })

  test('of an unreachable issuer gives a 503, and configured tokens still work', async () => {
    isAway = true
    try {
      const token = await jwt()
      expect(await lonely.call('GET', '/v1/session', { token })).toMatchObject({
        status: 503,
        body: { code: 'UNAVAILABLE' },
      })
      expect((await lonely.call('GET', '/v1/session', { token: tokens.viewer })).status).toBe(200)
    } finally {
      isAway = false
    }
  })
})
