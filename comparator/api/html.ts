import { textParts } from '../dashboard/src/format/hidden-characters.ts'

/** Trusted markup, which is not escaped; everything else is. */
class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type { Markup }

export type Content = Markup | string | number | null | undefined | readonly Content[]

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/**
 * Markup from a template. Values stay text whatever they hold, in content and in quoted attributes; characters that
 * are invisible or reverse the direction of text are spelled out.
 */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(parts.reduce((text, part, i) => text + spell(contents[i - 1]) + part))
}

/** Markup made by our own code, such as a chart's SVG. It is not escaped: never pass it text of others. */
export function drawn(markup: string): Markup {
  return new Markup(markup)
}

function spell(content: Content): string {
  if (content === null || content === undefined) return ''
  if (content instanceof Markup) return content.text
  if (Array.isArray(content)) return content.map(spell).join('')
  const visible = textParts(String(content)).map((part) => (typeof part === 'string' ? part : `[${part.code}]`))
  return visible.join('').replace(/[&<>"'`]/g, (character) => escapes[character]!)
}
