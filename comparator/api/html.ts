import { textParts } from '../dashboard/src/format/hidden-characters.ts'

/** Text that is markup already; everything else is escaped. */
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
 * Markup from a template: what is put into it stays text, whatever it holds, in content and in quoted attributes, and
 * no character in it hides or turns it around.
 */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(parts.reduce((text, part, i) => text + spell(contents[i - 1]) + part))
}

/** Markup that was drawn here, such as a chart's SVG: it is put in as it is. */
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
