/** Part of a text: characters that can be seen, or a run of one that can not. */
type TextPart = string | { code: string; count: number }

/** Controls, direction overrides, zero-width and other invisible characters, and halves of surrogate pairs. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** What joins letters or chooses a glyph, and hides nothing where it follows a letter that is not ASCII. */
const joiners = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f'])
const ascii = /^[\p{ASCII}]?$/u

/**
 * A text of a client, cut where a character would hide something or turn the text around. `inline`: line breaks and
 * tabs count as hidden too.
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

/** The same where a page has room for plain text alone, as in an option: what hides is spelled, and nothing beside it turns. */
export function isolatedText(text: string): string {
  const parts = textParts(text, true).map((part) => {
    if (typeof part === 'string') return part
    return `[${part.code}${part.count > 1 ? ` ×${part.count}` : ''}]`
  })
  return `\u2068${parts.join('')}\u2069`
}
