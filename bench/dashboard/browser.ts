import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { ObservationPage } from '../../vocabulary/api/observation-view.ts'
import { call } from '../showcase/call.ts'

/** Turns off the browser's own network traffic. */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The system's Chromium. */
export function chromiumPath(): string {
  const known = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  const path = known.find((path) => path && existsSync(path))
  if (!path) throw new Error('no Chromium found: install one, or name it in $CHROMIUM')
  return path
}

export function launchBrowser(executablePath = chromiumPath()): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: browserFlags })
}

/** The session cookie, as `NAME=VALUE`. */
export async function signIn(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  const cookie = response.headers.getSetCookie()[0]
  if (!response.ok || cookie === undefined) throw new Error(`no session: ${response.status} ${await response.text()}`)
  return cookie.split(';', 1)[0]!
}

/** Signs in with a cookie that does not expire, whatever the comparator's clock shows. */
export async function giveCookie(context: BrowserContext, url: string, token: string): Promise<void> {
  const [name, value] = (await signIn(url, token)).split('=', 2)
  await context.addCookies([{ name: name!, value: value!, url, httpOnly: true, sameSite: 'Strict' }])
}

/** Resolves when the page has finished loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.locator('.loading, [aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** The id of the observation with the largest disagreement. */
export async function worstOf(url: string, token: string, validation: string): Promise<string> {
  const path = `/v1/validations/${validation}/observations?order=worst&comparison=compared&limit=1`
  const { observations } = await call<ObservationPage>(url, 'GET', path, token)
  return observations[0]!.id
}
