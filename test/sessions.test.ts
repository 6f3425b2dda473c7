import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comparatorSchema } from '../comparator/config.ts'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { systemClock } from '../runtime/clock.ts'
import {
  type Answer,
  classification,
  startTestComparator,
  type TestComparator,
  tokenConfig,
  tokens,
} from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'
import { decode } from './support/services.ts'

let comparator: TestComparator
let skewMs = 0
const clock = { ...systemClock, now: () => systemClock.now() + skewMs }
const { promote } = promoting(() => comparator)

beforeAll(async () => {
  comparator = await startTestComparator([{ ...classification, approvals: 2 }], {
    clock,
    more: { session: { duration: '1h' }, authFailures: { max: 5, per: '1h' } },
  })
})
afterAll(() => comparator?.close())

interface Cookie {
  name: string
  value: string
  attributes: string[]
}
function cookieOf({ headers }: Answer): Cookie {
  const [pair, ...attributes] = headers.getSetCookie()[0]!.split('; ')
  const [name, value] = pair!.split('=') as [string, string]
  return { name, value, attributes }
}
const signIn = (token: string, headers: Record<string, string> = {}) =>
  comparator.call('POST', '/v1/session', { token: '', body: { token }, headers })
/** Calls as a page makes them: with the browser's cookie and no bearer token. */
async function page(token: string) {
  const answer = await signIn(token)
  const { name, value } = cookieOf(answer)
  const cookie = `${name}=${value}`
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    comparator.call(method, path, { token: '', body, headers: { cookie, ...headers } })
  return {
    call,
    cookie,
    csrf: answer.body.csrf as string,
    signedIn: async () => (await call('GET', '/v1/session')).status === 200,
  }
}

describe('a session', () => {
  test('is opened by a token, and its cookie is invisible to scripts and not sent by other sites', async () => {
    const answer = await signIn(tokens.viewer)
    expect(answer).toMatchObject({ status: 200, body: { name: 'vic', role: 'viewer', csrf: expect.any(String) } })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { name, value, attributes } = cookieOf(answer)
    // cookies are shared by all ports of a host, so each comparator on it has its own cookie name
    expect([name, value.length]).toEqual([`understudy-session-${new URL(comparator.url).port}`, 43])
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/']))
    expect(attributes.some((attribute) => /^(Secure|Domain)/.test(attribute))).toBe(false)
    const expires = Date.parse(attributes.find((attribute) => attribute.startsWith('Expires='))!.slice(8))
    expect(Math.abs(expires - Date.now() - 3_600_000)).toBeLessThan(60_000)
  })

  test('that is missing when a link is followed is requested on a page, which retries if the link came from another site', async () => {
    const follow = (site: string) =>
      comparator.call('GET', '/v1/audit', { token: '', headers: { accept: 'text/html,*/*', 'sec-fetch-site': site } })
    const [elsewhere, here] = [await follow('cross-site'), await follow('same-origin')]
    for (const { status, body, headers } of [elsewhere, here]) {
      expect([status, headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(body).toContain('Sign in first')
    }
    // the browser's retry is same-site, so it ends there
    expect(elsewhere.body).toContain('http-equiv="refresh"')
    expect(here.body).not.toContain('http-equiv="refresh"')
    const program = await comparator.call('GET', '/v1/audit', { token: '', headers: { accept: '*/*' } })
    expect(program).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
  })

  test('over TLS has a cookie for TLS and this host only, and accepts no other', async () => {
    const tls = { 'x-forwarded-proto': 'https' }
    const answer = await signIn(tokens.viewer, tls)
    const { name, value, attributes } = cookieOf(answer)
    const plainName = `understudy-session-${new URL(comparator.url).port}`
    expect(name).toBe(`__Host-${plainName}`)
    expect(attributes).toEqual(expect.arrayContaining(['Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/']))
    const read = (cookie: string) =>
      comparator.call('GET', '/v1/session', { token: '', headers: { ...tls, cookie: `${cookie}=${value}` } })
    expect((await read(name)).status).toBe(200)
    expect((await read(plainName)).status).toBe(401)
  })

  test('may read what its role may, and the role comes from the config', async () => {
    const { call } = await page(tokens.viewer)
    expect(await call('GET', '/v1/session')).toMatchObject({ body: { name: 'vic', role: 'viewer' } })
    expect((await call('GET', '/v1/validations')).status).toBe(200)
    expect((await call('POST', '/v1/promotions/00000000-0000-0000-0000-000000000000/abort')).status).toBe(403)
  })

  test('is not for ingest-only tokens, nor for wrong ones', async () => {
    expect(await signIn(tokens.ingest)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    const wrong = await signIn('guess')
    expect(wrong).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
    expect(wrong.headers.getSetCookie()).toEqual([])
    expect(await comparator.call('POST', '/v1/session', { token: '', body: {} })).toMatchObject({ status: 400 })
  })

  test('changes nothing without its own CSRF token, whatever the method; a bearer token needs none', async () => {
    await comparator.post(evidence('digits'))
    const ana = await page(tokens.approver)
    const ben = await page(tokens.second)
    expect(ana.csrf).not.toBe(ben.csrf)
    const { body: gate } = await ana.call('GET', '/v1/validations/digits/gate')
    const body = { gateId: gate.id, comment: 'seen' }
    const path = '/v1/validations/digits/promotion'
    for (const headers of [{}, { 'x-understudy-csrf': '' }, { 'x-understudy-csrf': ben.csrf }]) {
      expect(await ana.call('POST', path, body, headers as Record<string, string>)).toMatchObject({
        status: 403,
        body: { code: 'CSRF_MISMATCH' },
      })
    }
    expect(await ana.call('DELETE', '/v1/session')).toMatchObject({ status: 403 })
    const asked = await ana.call('POST', path, body, { 'x-understudy-csrf': ana.csrf })
    expect(asked).toMatchObject({ status: 201, body: { requestedBy: 'ana', state: 'requested' } })
    const approved = await ben.call('POST', `/v1/promotions/${asked.body.id}/approve`, body, {
      'x-understudy-csrf': ben.csrf,
    })
    expect(approved.body.approvals.map(({ by }: { by: string }) => by)).toEqual(['ana', 'ben'])
    expect(await promote('digits')).toMatchObject({ status: 409 })
  })

  test('is not looked at where a request has a token too', async () => {
    const vic = await page(tokens.viewer)
    const both = { token: tokens.approver, headers: { cookie: vic.cookie } }
    expect(await comparator.call('GET', '/v1/session', both)).toMatchObject({ body: { name: 'ana' } })
  })

  test('is not accepted for deliveries, which need a token', async () => {
    const ana = await page(tokens.approver)
    const csrf = { 'x-understudy-csrf': ana.csrf }
    for (const path of ['/v1/observations', '/v1/labels', '/v1/coverage']) {
      expect([path, (await ana.call('POST', path, {}, csrf)).status]).toEqual([path, 401])
    }
    expect((await ana.call('GET', '/v1/routing')).status).toBe(401)
    expect(await ana.signedIn()).toBe(true)
  })

  test('leaves no answer in a cache, and none that can be sniffed as another type', async () => {
    const { call } = await page(tokens.viewer)
    const { headers } = await call('GET', '/v1/validations')
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
  })

  test('refuses a sign-in body larger than any token', async () => {
    expect(await signIn('x'.repeat(40_000))).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } })
  })

  test('cannot be opened by another site’s form, which cannot send JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await comparator.call('POST', '/v1/session', {
        token: '',
        body: `{"token":"${tokens.viewer}"}`,
        headers: { 'content-type': type },
      })
      expect([type, answer.status]).toEqual([type, 415])
    }
    const url = `${comparator.url}/v1/session`
    const untyped = await fetch(url, { method: 'POST', body: new Blob([`{"token":"${tokens.viewer}"}`]) })
    expect([untyped.status, untyped.headers.getSetCookie()]).toEqual([415, []])
  })

  test('ends at sign-out, also for copies of the cookie', async () => {
    const ana = await page(tokens.approver)
    const out = await ana.call('DELETE', '/v1/session', undefined, { 'x-understudy-csrf': ana.csrf })
    expect(out.status).toBe(204)
    expect(cookieOf(out)).toMatchObject({ value: '', attributes: expect.arrayContaining(['Path=/']) })
    const after = await ana.call('GET', '/v1/validations')
    expect(after).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
    expect(cookieOf(after).value).toBe('')
  })

  test('ends when another begins in the same browser', async () => {
    const first = await page(tokens.viewer)
    const second = await signIn(tokens.approver, { cookie: first.cookie })
    expect(second.body.name).toBe('ana')
    expect(await first.signedIn()).toBe(false)
  })

  test('ends when it expires', async () => {
    const ana = await page(tokens.approver)
    skewMs = 3_599_000
    expect(await ana.signedIn()).toBe(true)
    skewMs = 3_601_000
    expect(await ana.signedIn()).toBe(false)
    skewMs = 0
    expect(await ana.signedIn()).toBe(false)
  })

  test('counts an address’s wrong tokens, wherever they are sent; valid tokens from there still work', async () => {
    const before = await page(tokens.viewer)
    for (let i = 0; i < 6; i++) await signIn(`guess-${i}`)
    const limited = await signIn('one-more')
    expect(limited).toMatchObject({ status: 429, body: { code: 'TOO_MANY_FAILURES' } })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3000)
    expect((await signIn(tokens.admin)).status).toBe(429)
    expect((await signIn(tokens.viewer)).status).toBe(200)
    expect(await before.signedIn()).toBe(true)
  })
})

test('the database contains no secret that could sign anyone in', async () => {
  const { cookie, csrf } = await page(tokens.viewer)
  const secret = cookie.split('=')[1]!
  await comparator.stop()
  const { db, close } = await openDatabase(comparator.database.url)
  const { rows } = await sql<{ row: string }>`select session::text as row from session`.execute(db)
  await close()
  await comparator.restart()
  const text = rows.map(({ row }) => row).join('\n')
  expect(text).toContain(createHash('sha256').update(secret).digest('hex'))
  for (const kept of [secret, csrf, tokens.viewer]) expect(text).not.toContain(kept)
})

describe('across restarts and comparators', () => {
  /** The cookies of a browser that knows all of them by one address. */
  const carrying = ({ value }: Cookie, { url }: TestComparator) => ({
    token: '',
    headers: { cookie: `understudy-session-${new URL(url).port}=${value}` },
  })

  test('a session continues, with the role in the current config, until its token is removed', async () => {
    const validations = [classification]
    const promoted = tokenConfig.map((token) => (token.name === 'ana' ? { ...token, role: 'admin' } : token))
    const without = tokenConfig.filter(({ name }) => name !== 'ana')
    const first = await startTestComparator(validations)
    const again = (more: object) => startTestComparator(validations, { more, database: first.database })
    const answer = await first.call('POST', '/v1/session', { token: '', body: { token: tokens.approver } })
    const whoAt = async (where: TestComparator) =>
      (await where.call('GET', '/v1/session', carrying(cookieOf(answer), where))).body

    await first.stop()
    const second = await again({ tokens: promoted })
    expect(await whoAt(second)).toMatchObject({ name: 'ana', role: 'admin', csrf: answer.body.csrf })
    await second.stop()
    const third = await again({ tokens: without })
    expect(await whoAt(third)).toMatchObject({ code: 'UNAUTHENTICATED' })
    await third.stop()
    // it has ended for good, even if the token returns
    await first.restart()
    expect(await whoAt(first)).toMatchObject({ code: 'UNAUTHENTICATED' })
    await first.close()
  })

  test.runIf(process.env.DATABASE_URL)('two comparators on one database share sessions', async () => {
    const first = await startTestComparator([classification])
    const second = await startTestComparator([classification], { database: first.database })
    const cookie = cookieOf(await first.call('POST', '/v1/session', { token: '', body: { token: tokens.approver } }))
    const options = carrying(cookie, second)
    const { status, body } = await second.call('GET', '/v1/session', options)
    expect([status, body.name]).toEqual([200, 'ana'])
    const headers = { ...options.headers, 'x-understudy-csrf': body.csrf }
    expect((await second.call('DELETE', '/v1/session', { token: '', headers })).status).toBe(204)
    expect((await first.call('GET', '/v1/session', carrying(cookie, first))).status).toBe(401)
    await second.stop()
    await first.close()
  })
})

test('a config for signing in with an issuer is refused if it cannot work', () => {
  const configured = (oidc: object) =>
    decode(
      {
        oidc: {
          issuer: 'https://login.example',
          audience: 'understudy',
          roles: { viewer: { claim: 'groups', values: ['ml'] } },
          ...oidc,
        },
      },
      'comparator',
      comparatorSchema,
    )
  expect(() => configured({ clientSecret: 'x' })).toThrow(/oidc\.clientId/)
  expect(() => configured({ clientId: 'x', scopes: ['email'] })).toThrow(/openid among them/)
  expect(() => configured({ clientId: 'x', clientSecret: 'y' })).not.toThrow()
})
