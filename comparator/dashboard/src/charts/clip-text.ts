/** At most so many letters; what is cut out of the middle shows as `…`, since names often differ at their ends. */
export function clipText(text: string, lettersMax: number): string {
  const letters = [...text]
  if (letters.length <= lettersMax) return text
  const kept = Math.max(1, lettersMax - 1)
  const head = Math.ceil(kept / 2)
  return `${letters.slice(0, head).join('')}…${letters.slice(letters.length - (kept - head)).join('')}`
}
