/** Shortens a text to `lettersMax` with `…` in the middle, since names often differ at their ends. */
export function clipText(text: string, lettersMax: number): string {
  const letters = [...text]
  if (letters.length <= lettersMax) return text
  const kept = Math.max(1, lettersMax - 1)
  const head = Math.ceil(kept / 2)
  return `${letters.slice(0, head).join('')}…${letters.slice(letters.length - (kept - head)).join('')}`
}
