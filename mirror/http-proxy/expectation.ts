/**
 * Whether the client waits for a 100, which Node or we send before any upstream is asked. Other expectations are left
 * to the upstream.
 */
export const asksToContinue = (expect: string | undefined): boolean =>
  /(^|,)\s*100-continue\s*(,|$)/i.test(expect ?? '')
