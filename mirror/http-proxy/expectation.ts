/** What a client is told by Node, or by us, before any upstream is asked; any other expectation is for those to meet. */
export const asksToContinue = (expect: string | undefined): boolean =>
  /(^|,)\s*100-continue\s*(,|$)/i.test(expect ?? '')
