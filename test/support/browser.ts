import { existsSync } from 'node:fs'
import * as ours from '../../bench/dashboard/browser.ts'

/** Debian's Chromium without windows, in which a view takes less than half of the CPU time. */
const headlessShell = '/usr/bin/chromium-headless-shell'

/** The system's Chromium, headless; the dashboard's pictures and benches keep to the one that people use. */
export const launchBrowser = () =>
  process.env.CHROMIUM || !existsSync(headlessShell) ? ours.launchBrowser() : ours.launchBrowser(headlessShell)
