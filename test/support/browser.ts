/** The system's Chromium, headless, shared with the dashboard's pictures and benches. */
export { launchBrowser } from '../../bench/dashboard/browser.ts'
