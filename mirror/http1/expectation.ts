/** Whether a client may wait for a 100 before it sends its body. Other expectations are left to the upstream. */
export const asksToContinue = (expect: string | undefined): boolean =>
  /(^|,)\s*100-continue\s*(,|$)/i.test(expect ?? '')
