/** Part of a text: visible characters, or a run of one invisible character. */
type TextPart = string | { code: string; count: number }

/** Control characters, direction overrides, zero-width and other invisible characters, and lone surrogates. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Joiners and variation selectors, which are legitimate after a letter outside ASCII. */
const joiners = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f'])
const ascii = /^[\p{ASCII}]?$/u

/**
 * Splits a client's text wherever a character would hide something or reverse the text. `inline`: line breaks and tabs
 * also count as hidden.
 */
export function textParts(text: string, inline = false): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (!inline && (character === '\n' || character === '\t')) continue
    if (joiners.has(character) && !ascii.test(text.slice(Math.max(0, index - 1), index))) continue
    if (index > from) parts.push(text.slice(from, index))
    const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    const last = parts.at(-1)
    if (typeof last === 'object' && last.code === code && index === from) last.count++
    else parts.push({ code, count: 1 })
    from = index + character.length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/**
 * The same for places that allow only plain text, such as an option: hidden characters are spelled out, and the text is
 * isolated so that it cannot reverse its surroundings.
 */
export function isolatedText(text: string): string {
  const parts = textParts(text, true).map((part) => {
    if (typeof part === 'string') return part
    return `[${part.code}${part.count > 1 ? ` ×${part.count}` : ''}]`
  })
  return `\u2068${parts.join('')}\u2069`
}
