import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { launchBrowser } from './support/browser.ts'
import { type CertifiedIssuer, startCertifiedIssuer } from './support/certified-issuer.ts'
import { classification, startTestComparator, type TestComparator } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'

let issuer: CertifiedIssuer
let comparator: TestComparator
let browser: Browser
const { stateOf } = promoting(() => comparator)
const groups: Record<string, string[]> = { ana: ['ml', 'signs'], ben: ['ml'] }

beforeAll(async () => {
  const client = { id: 'dashboard', secret: 'client secret/%' }
  const listen = `127.0.0.1:${await freePorts(1)}`
  issuer = await startCertifiedIssuer({
    path: '/realms/ml',
    client: { ...client, redirectUri: `http://${listen}/v1/session/oidc/callback` },
    scopes: { email: ['email', 'email_verified'], groups: ['groups'] },
    claimsOf: (login) => ({ email: `${login}@example.com`, email_verified: true, groups: groups[login] }),
  })
  const oidc = {
    issuer: issuer.url,
    audience: 'understudy',
    nameClaim: 'email',
    clientId: client.id,
    clientSecret: client.secret,
    scopes: ['openid', 'email', 'groups'],
    roles: { viewer: { claim: 'groups', values: ['ml'] }, approver: { claim: 'groups', values: ['signs'] } },
  }
  const slow = { steps: [10, 100], stepDuration: '60s' }
  comparator = await startTestComparator([{ ...classification, rollout: slow }], { more: { oidc, listen } })
  await comparator.post(evidence('digits', { wrong: 0.01 }))
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
  issuer?.stop()
})

/** A browser of its own, which never leaves this machine: the provider's pages import a font. */
async function newBrowser(): Promise<BrowserContext> {
  const context = await browser.newContext()
  await context.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.abort(),
  )
  return context
}
async function atIssuer(context: BrowserContext, place = '#/'): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${comparator.url}/v1/session/oidc?return=${encodeURIComponent(place)}`)
  return page
}
async function enterLogin(page: Page, login: string) {
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
}
async function consentAs(page: Page, login: string) {
  await enterLogin(page, login)
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('an approver signs in at a certified provider, promotes, and signs out', async () => {
  const ana = await (await newBrowser()).newPage()
  await ana.goto(`${comparator.url}/#/validations/digits`)
  await ana.getByRole('link', { name: `Continue with ${new URL(issuer.url).host}` }).click()
  await consentAs(ana, 'ana')
  const panel = ana.getByTestId('promotion')
  await panel.getByLabel('Comment').fill('a week of evidence')
  await panel.getByRole('button', { name: 'Request promotion' }).click()
  await panel.getByRole('heading', { name: 'Rolling out' }).waitFor()
  expect((await stateOf('digits')).promotion).toMatchObject({ approvals: [{ by: 'oidc:ana@example.com' }] })

  await ana.getByRole('button', { name: 'Sign out' }).click()
  await ana.getByRole('heading', { name: 'Sign in' }).waitFor()
  await ana.getByRole('link', { name: `Sign out at ${new URL(issuer.url).host}` }).click()
  await ana.getByRole('button', { name: 'Yes, sign me out' }).click()
  await ana.getByText('Sign-out Success').waitFor()
  await ana.goto(comparator.url)
  await ana.getByRole('link', { name: `Continue with ${new URL(issuer.url).host}` }).click()
  await ana.getByPlaceholder('Enter any login').waitFor()
})

test('whoever has no role, or cancels, reads why', async () => {
  const context = await newBrowser()
  const eve = await atIssuer(context)
  await consentAs(eve, 'eve')
  await eve.getByText('The issuer knows you, but you have no role here.').waitFor()
  await context.clearCookies()
  const ben = await atIssuer(context)
  await ben.getByRole('link', { name: 'Cancel' }).click()
  await ben.getByText('Sign-in was cancelled.').waitFor()
})

test('two tabs that wait for the same password both get in', async () => {
  const context = await newBrowser()
  const [one, two] = [await atIssuer(context, '#/audit'), await atIssuer(context, '#/mirrors')]
  await consentAs(two, 'ben')
  await two.getByRole('heading', { name: 'Mirrors', level: 1 }).waitFor()
  await enterLogin(one, 'ben')
  await one.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
})

test('the provider may change its key, and the kind of key', async () => {
  await issuer.renew('EdDSA')
  const context = await newBrowser()
  const isIn = async () => {
    await context.clearCookies()
    const page = await atIssuer(context)
    await consentAs(page, 'ben')
    await page.getByRole('button', { name: /^Sign (in|out)$/ }).waitFor()
    return page.getByRole('button', { name: 'Sign out' }).isVisible()
  }
  // within 5 s of the last time keys are not fetched again
  await expect.poll(isIn, { interval: 1_000 }).toBe(true)
})
