/** The system's Chromium, headless, as the pictures and benches of the dashboard use it too. */
export { launchBrowser } from '../../bench/dashboard/browser.ts'
