/** Keeps a number and its unit or sign on one line: `≥ 0.99`, `250 ms`. */
export function noBreak(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}
