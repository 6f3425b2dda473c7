import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import * as ours from '../../bench/dashboard/browser.ts'
import { waitMsMax } from '../../runtime/testing/wait-for.ts'

/** Debian's Chromium without windows, in which a view takes less than half of the CPU time. */
const headlessShell = '/usr/bin/chromium-headless-shell'

/**
 * The system's Chromium, headless; the dashboard's pictures and benches keep to the one that people use. Its pages wait
 * as long as other tests do.
 */
export async function launchBrowser(): Promise<Browser> {
  const path = process.env.CHROMIUM || !existsSync(headlessShell) ? undefined : headlessShell
  const browser = await ours.launchBrowser(path)
  browser.on('context', (context) => context.setDefaultTimeout(waitMsMax))
  return browser
}
