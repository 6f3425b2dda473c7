import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Nothing of the browser's own leaves the machine or waits for it. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The system's Chromium, headless. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path && existsSync(path))
  if (!executablePath) throw new Error('no Chromium found: install one, or name it in $CHROMIUM')
  return chromium.launch({ executablePath, headless: true, args: flags })
}
