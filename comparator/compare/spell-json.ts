import type { CutText } from '../../vocabulary/api/answer-pair.ts'

const levelsMax = 6
const itemsMax = 50

/**
 * A value of a parsed document as JSON of about `charsMax` characters, with `…` for deeper levels and further items. A
 * hostile document may be nested deeper than `JSON.stringify` can go. `length` is that of a string itself, else that of
 * the text shown.
 */
export function spellJson(value: unknown, charsMax: number): CutText {
  if (typeof value === 'string') return { text: JSON.stringify(cut(value, charsMax)), length: value.length }
  const text = spell(value, charsMax, levelsMax)
  return { text, length: text.length }
}

function spell(value: unknown, chars: number, levels: number): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, chars))
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isArray = Array.isArray(value)
  const [begin, end] = isArray ? '[]' : '{}'
  const keys = Object.keys(value)
  if (keys.length === 0) return `${begin}${end}`
  if (levels === 0 || chars <= 0) return `${begin}…${end}`
  let text = ''
  for (const [i, key] of keys.entries()) {
    if (i > 0) text += ', '
    if (i === itemsMax || text.length >= chars) {
      text += `… ${keys.length - i} more`
      break
    }
    const name = isArray ? '' : `${JSON.stringify(cut(key, chars))}: `
    text += name + spell((value as Record<string, unknown>)[key], chars - text.length - name.length, levels - 1)
  }
  return `${begin}${text}${end}`
}

function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, Math.max(0, charsMax)).toWellFormed()}…` : text
}
