import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { classification, startTestComparator, type TestComparator } from './support/comparator.ts'
import { startTestIssuer, type TestIssuer } from './support/issuer.ts'

let issuer: TestIssuer
let comparator: TestComparator
const ana = { email: 'ana@example.com', groups: ['ml', 'signs'] }

beforeAll(async () => {
  issuer = await startTestIssuer({ id: 'dashboard', secret: 'client secret/%' })
  const oidc = {
    issuer: issuer.url,
    audience: 'understudy',
    nameClaim: 'email',
    clientId: 'dashboard',
    clientSecret: 'client secret/%',
    roles: { viewer: { claim: 'groups', values: ['ml'] }, approver: { claim: 'groups', values: ['signs'] } },
  }
  comparator = await startTestComparator([classification], { more: { oidc, authFailures: { max: 8, per: '1h' } } })
})
beforeEach(() => {
  issuer.person = { claims: ana }
})
afterAll(async () => {
  await comparator?.close()
  issuer?.stop()
})

/** A browser that does not follow redirects by itself. */
function browser() {
  const jar = new Map<string, string>()
  const lines: string[] = []
  async function get(url: string) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(url, comparator.url), { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      lines.push(line)
      const [name, value] = line.split(';')[0]!.split('=') as [string, string]
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
  }
  return { jar, lines, get }
}

/** Signs in up to the issuer's answer, which has not been followed yet. */
async function atIssuer(path = '/v1/session/oidc') {
  const visitor = browser()
  const { location } = await visitor.get(path)
  const back = (await fetch(location, { redirect: 'manual' })).headers.get('location')!
  return { visitor, address: new URL(location), back }
}
async function signIn(path?: string) {
  const { visitor, back } = await atIssuer(path)
  const { status, location } = await visitor.get(back)
  return { visitor, status, location, session: JSON.parse((await visitor.get('/v1/session')).text) }
}

test('signs in with a code and PKCE, and returns to the requested page', async () => {
  const { visitor, address, back } = await atIssuer(
    `/v1/session/oidc?return=${encodeURIComponent('#/validations/a?x=1')}`,
  )
  const parameters = Object.fromEntries(address.searchParams)
  expect(parameters).toMatchObject({
    tenant: 'ml',
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: `${comparator.url}/v1/session/oidc/callback`,
    code_challenge_method: 'S256',
  })
  for (const name of ['state', 'nonce', 'code_challenge']) expect(parameters[name]).toMatch(/^[\w-]{43}$/)
  expect(visitor.lines[0]).toMatch(/HttpOnly/)
  expect(visitor.lines[0]).toMatch(/SameSite=Lax/)
  expect(visitor.lines[0]).toMatch(/^understudy-sign-in-\d+-[\w-]{8}=/)

  expect(await visitor.get(back)).toMatchObject({ status: 302, location: '/#/validations/a?x=1' })
  expect(visitor.lines.find((line) => line.startsWith('understudy-session-'))).toMatch(/HttpOnly; SameSite=Strict/)
  expect([...visitor.jar.keys()]).toEqual([`understudy-session-${new URL(comparator.url).port}`])
  const session = JSON.parse((await visitor.get('/v1/session')).text)
  expect(session).toMatchObject({ name: 'oidc:ana@example.com', role: 'approver', csrf: expect.any(String) })
  expect(issuer.redeemed!.authorization).toBe(
    `Basic ${Buffer.from('dashboard:client%20secret%2F%25').toString('base64')}`,
  )
})

test('takes role and name from the access token if the API would', async () => {
  issuer.person = { claims: { email: 'ana@example.com' }, inAccessToken: { groups: ['ml'] } }
  expect((await signIn()).session).toMatchObject({ name: 'oidc:ana@example.com', role: 'viewer' })
  issuer.person.inAccessToken = { groups: ['signs'], sub: 'someone else' }
  expect(await signIn()).toMatchObject({ location: '/#signIn=noRole', session: { code: 'UNAUTHENTICATED' } })
})

test('an answer from another attempt, browser or client signs nobody in', async () => {
  const { visitor, address, back } = await atIssuer()
  const forged = new URL(back)
  forged.searchParams.set('state', 'x'.repeat(43))
  expect((await visitor.get(forged.href)).location).toBe('/#signIn=expired')
  forged.searchParams.set('state', address.searchParams.get('state')!.slice(0, 8).padEnd(43, 'x'))
  expect((await visitor.get(forged.href)).location).toBe('/#signIn=refused')
  // an attempt ends with its first answer
  expect((await visitor.get(back)).location).toBe('/#signIn=expired')
  expect((await browser().get((await atIssuer()).back)).location).toBe('/#signIn=expired')

  const other = await atIssuer()
  const mixed = new URL(other.back)
  mixed.searchParams.set('iss', 'https://evil.example')
  expect((await other.visitor.get(mixed.href)).location).toBe('/#signIn=refused')

  for (const wrong of [{ nonce: 'another' }, { aud: 'another' }, { azp: 'another' }, { exp: 1 }]) {
    issuer.person = { claims: ana, wrong }
    expect([wrong, (await signIn()).location]).toEqual([wrong, '/#signIn=refused'])
  }
})

test('too many of those are told to wait', async () => {
  for (let i = 0; i < 3; i++) {
    issuer.person = { claims: ana, wrong: { nonce: 'another' } }
    await signIn()
  }
  const { visitor, back } = await atIssuer()
  expect((await visitor.get(back)).status).toBe(429)
  expect([...visitor.jar.keys()].filter((name) => name.includes('session'))).toEqual([])
})

test('a user without a role, without consent, or with an unreachable issuer is told so', async () => {
  await comparator.restart()
  issuer.person = { claims: { ...ana, groups: ['others'] } }
  expect((await signIn()).location).toBe('/#signIn=noRole')
  const { visitor, back } = await atIssuer()
  const { origin, pathname } = new URL(back)
  expect((await visitor.get(`${origin}${pathname}?error=access_denied`)).location).toBe('/#signIn=denied')
  const late = await atIssuer()
  issuer.isAway = true
  expect((await late.visitor.get(late.back)).location).toBe('/#signIn=unavailable')
  issuer.isAway = false
})

test('a sign-in that the database does not store is not the issuer’s fault, nor a wrong token', async () => {
  const rename = async (table: string, to: string) => {
    await comparator.stop()
    const { db, close } = await openDatabase(comparator.database.url)
    await db.schema.alterTable(table).renameTo(to).execute()
    await close()
    await comparator.restart()
  }
  await rename('session', 'lost_session')
  onTestFinished(() => rename('lost_session', 'session'))
  expect((await signIn()).location).toBe('/#signIn=unavailable')
  const { body } = await comparator.call('GET', '/metrics', { token: '' })
  expect(body).toContain('\nunderstudy_comparator_wrong_tokens_total 0\n')
})

test('an issuer that is busy, or breaks off, refuses nobody', async () => {
  onTestFinished(() => {
    issuer.instead = {}
  })
  const wrongTokens = async () =>
    /\nunderstudy_comparator_wrong_tokens_total \d+\n/.exec(
      (await comparator.call('GET', '/metrics', { token: '' })).body,
    )![0]
  const before = await wrongTokens()
  issuer.person = { claims: {}, atUserInfo: ana }
  for (const path of ['/token', '/userinfo']) {
    issuer.instead = { [path]: (response) => response.writeHead(429).end() }
    expect([path, (await signIn()).location]).toEqual([path, '/#signIn=unavailable'])
    issuer.instead = {
      [path]: (response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('{"sub":', () => response.destroy())
      },
    }
    expect([path, (await signIn()).location]).toEqual([path, '/#signIn=unavailable'])
  }
  const { visitor, back } = await atIssuer()
  const busy = new URL(back)
  busy.searchParams.delete('code')
  busy.searchParams.set('error', 'temporarily_unavailable')
  expect((await visitor.get(busy.href)).location).toBe('/#signIn=unavailable')
  expect(await wrongTokens()).toBe(before)
})

test('what the tokens lack comes from the userinfo endpoint, if it is about the same person', async () => {
  issuer.person = { claims: {}, atUserInfo: ana }
  expect((await signIn()).session).toMatchObject({ name: 'oidc:ana@example.com', role: 'approver' })
  issuer.person.atUserInfo = { ...ana, sub: 'person-2' }
  expect(await signIn()).toMatchObject({ location: '/#signIn=refused', session: { code: 'UNAUTHENTICATED' } })
})

test('several tabs of a browser sign in side by side, and only so many', async () => {
  const visitor = browser()
  const begin = async (page: string) => {
    const { location } = await visitor.get(`/v1/session/oidc?return=${encodeURIComponent(page)}`)
    return (await fetch(location, { redirect: 'manual' })).headers.get('location')!
  }
  const [one, two] = [await begin('#/one'), await begin('#/two')]
  expect((await visitor.get(two)).location).toBe('/#/two')
  expect((await visitor.get(one)).location).toBe('/#/one')

  const many = []
  for (let i = 0; i < 6; i++) many.push(await begin('#/many'))
  expect([...visitor.jar.keys()].filter((name) => name.startsWith('understudy-sign-in-'))).toHaveLength(2)
  expect((await visitor.get(many[0]!)).location).toBe('/#signIn=expired')
  expect((await visitor.get(many[5]!)).location).toBe('/#/many')
})

test('an email address that nobody has verified gives neither name nor role', async () => {
  for (const unverified of [false, 'false']) {
    issuer.person = { claims: { ...ana, email_verified: unverified } }
    expect((await signIn()).location).toBe('/#signIn=refused')
  }
  // the access token has the address too, but does not say so
  issuer.person = { claims: { ...ana, email_verified: false }, inAccessToken: ana }
  expect((await signIn()).location).toBe('/#signIn=refused')
  issuer.person = { claims: { ...ana, email_verified: true } }
  expect((await signIn()).session).toMatchObject({ name: 'oidc:ana@example.com', role: 'approver' })
})

test('redirects only to the comparator’s own pages', async () => {
  for (const to of ['//evil.example', 'https://evil.example', 'javascript:alert(1)', '#/\r\nset-cookie: a=b', '/#/']) {
    expect((await browser().get(`/v1/session/oidc?return=${encodeURIComponent(to)}`)).status).toBe(400)
  }
})

test('a sign-out names the page on which the issuer’s own session ends, if there is one', async () => {
  const signOut = async () => {
    const { visitor, session } = await signIn()
    const cookie = [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-understudy-csrf': session.csrf }
    const response = await fetch(`${comparator.url}/v1/session`, { method: 'DELETE', headers })
    expect(JSON.parse((await visitor.get('/v1/session')).text).code).toBe('UNAUTHENTICATED')
    return [response.status, await response.text()]
  }
  expect(await signOut()).toEqual([204, ''])
  issuer.endSession = 'javascript:alert(1)'
  await comparator.restart()
  expect(await signOut()).toEqual([204, ''])
  issuer.endSession = `${issuer.url}/end?tenant=ml`
  await comparator.restart()
  const [status, text] = await signOut()
  const issuerSignOut = `${issuer.url}/end?tenant=ml&client_id=dashboard&id_token_hint=${issuer.idToken}`
  expect([status, text]).toEqual([200, JSON.stringify({ issuerSignOut })])
  issuer.person = { claims: { ...ana, groups: [...ana.groups, 'x'.repeat(3000)] } }
  const withoutHint = { issuerSignOut: `${issuer.url}/end?tenant=ml&client_id=dashboard` }
  expect(await signOut()).toEqual([200, JSON.stringify(withoutHint)])
})

test('is offered if it is configured', async () => {
  const ways = await comparator.call('GET', '/v1/session/ways', { token: '' })
  expect(ways.body).toEqual({ token: true, oidc: { host: new URL(issuer.url).host } })
})
