import { textParts } from '../format/hidden-characters.ts'

/** A client's text, shown so that nothing in it is hidden and it cannot reverse its surroundings. */
export function VisibleText({ text, inline = false }: { text: string; inline?: boolean }) {
  return (
    <bdi>
      {textParts(text, inline).map((part, i) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={i} class="hidden-character" title={names[part.code] ?? 'an invisible character'}>
            {part.code}
            {part.count > 1 && ` ×${part.count}`}
          </span>
        ),
      )}
    </bdi>
  )
}

const names: Record<string, string> = {
  'U+0000': 'null',
  'U+0009': 'tab',
  'U+000A': 'line break',
  'U+000D': 'carriage return',
  'U+001B': 'escape',
  'U+00AD': 'soft hyphen',
  'U+200B': 'zero width space',
  'U+200C': 'zero width non-joiner',
  'U+200D': 'zero width joiner',
  'U+200E': 'left-to-right mark',
  'U+200F': 'right-to-left mark',
  'U+202A': 'left-to-right embedding',
  'U+202B': 'right-to-left embedding',
  'U+202C': 'end of a direction',
  'U+202D': 'left-to-right override',
  'U+202E': 'right-to-left override',
  'U+2066': 'left-to-right isolate',
  'U+2067': 'right-to-left isolate',
  'U+2069': 'end of an isolate',
  'U+FEFF': 'byte order mark',
}
