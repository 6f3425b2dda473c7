import { diffArrays } from 'diff'
import type { ToStringOptions } from 'yaml'

/** How to print YAML so that what is new looks like the text that it is put into. */
export function formOf(text: string): ToStringOptions {
  const lines = linesOf(text).map(textOf).join('\n')
  const indent = /^( {1,8})[^\s#-]/m.exec(lines)?.[1]?.length ?? 2
  // a list that begins as far to the left as its key, perhaps below comments
  const isFlush = /^( *)[^\s#][^\n]*:(?:[ \t]*(?:#[^\n]*)?\n)+\1- /m.test(lines)
  return { lineWidth: 0, indent, indentSeq: !isFlush }
}

/**
 * Makes the change between two prints of YAML in the text that the first was printed of. Lines that did not change stay
 * as they were to the last space, though the printer spells and indents them otherwise; new ones are indented like those
 * around them.
 */
export function withChange(text: string, before: string, after: string): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const written = linesOf(text.slice(mark.length))
  const printed = linesOf(before)
  const changed = linesOf(after)
  const kept = new Map(commonItems(printed, changed).map(([inPrinted, inChanged]) => [inChanged, inPrinted]))
  const passages = new Map(passagesOf(written, printed).map((passage) => [passage.from, passage]))
  const columns = new Columns()
  const result: string[] = []
  let next = 0
  for (let at = 0; at < changed.length; at++) {
    const line = changed[at]!
    const own = passages.get(kept.get(at) ?? -1)
    if (own?.printed.every((_, i) => kept.get(at + i) === own.from + i)) {
      result.push(...own.written)
      for (const inside of own.printed) columns.align(inside, writtenOf(inside, own) ?? columns.indented(inside))
      at += own.printed.length - 1
      next = own.from + own.printed.length
    } else {
      // perhaps the line that this one replaces, or what follows it in the same section
      const beside = printed.findIndex((other, i) => i >= next && columnOf(other) <= columnOf(line))
      const passage = passages.get(beside)
      if (passage && columnOf(printed[beside]!) === columnOf(line)) {
        columns.align(printed[beside]!, writtenOf(printed[beside]!, passage) ?? line)
      }
      const indented = columns.indented(line)
      columns.align(line, indented)
      result.push(textOf(indented))
      next = Math.max(next, (kept.get(at) ?? -1) + 1)
    }
  }
  return mark + withEnds(result, usualEndOf(written))
}

/** Lines as they were written and as the printer has them. */
interface Passage {
  /** Index of the first in the print. */
  from: number
  written: string[]
  printed: string[]
}

/** Single lines that differ in their spaces at most, and what is between them, such as folded text. */
function passagesOf(written: readonly string[], printed: readonly string[]): Passage[] {
  const passages: Passage[] = []
  let from = { written: 0, printed: 0 }
  const cutAt = (to: { written: number; printed: number }) => {
    const cut = {
      from: from.printed,
      written: written.slice(from.written, to.written),
      printed: printed.slice(from.printed, to.printed),
    }
    const last = passages.at(-1)
    if (cut.printed.length === 0 && !last) return
    if (cut.printed.length > 0 && (cut.written.length > 0 || !last)) passages.push(cut)
    else {
      last!.written.push(...cut.written)
      last!.printed.push(...cut.printed)
    }
    from = to
  }
  for (const [inWritten, inPrinted] of commonItems(written.map(withoutSpaces), printed.map(withoutSpaces))) {
    cutAt({ written: inWritten, printed: inPrinted })
    cutAt({ written: inWritten + 1, printed: inPrinted + 1 })
  }
  cutAt({ written: written.length, printed: printed.length })
  return passages
}

/** Their indices in both lists. */
function commonItems(a: string[], b: string[]): [number, number][] {
  const places: [number, number][] = []
  const next = { a: 0, b: 0 }
  for (const { count, removed, added } of diffArrays(a, b)) {
    for (let i = 0; i < count && !removed && !added; i++) places.push([next.a + i, next.b + i])
    if (!added) next.a += count
    if (!removed) next.b += count
  }
  return places
}

/** The printer may have moved a comment from the line's end to the next line. */
const writtenOf = (line: string, { written }: Passage) =>
  written.find((other) => withoutSpaces(other).startsWith(withoutSpaces(line)))

/** Where the text has the columns in which the printer begins the keys and items that are open. */
class Columns {
  #open: { printed: number; written: number }[] = []

  align(printed: string, written: string): void {
    const places = columnsOf(printed)
    if (places.length === 0) return
    this.#open = this.#open.filter((column) => column.printed < places[0]!)
    const found = columnsOf(written)
    places.forEach((place, i) => {
      this.#open.push({ printed: place, written: found[i] ?? place })
    })
  }

  indented(line: string): string {
    const column = this.#open.findLast(({ printed }) => printed <= columnOf(line))
    const text = line.trimStart()
    return column ? ' '.repeat(line.length - text.length + column.written - column.printed) + text : line
  }
}

/** Infinity for comments. */
const columnOf = (line: string) => columnsOf(line)[0] ?? Infinity

/** Of an item's dash and of what follows it; none of a comment, which may stand anywhere. */
function columnsOf(line: string): number[] {
  const [, indent = '', dash = ''] = /^( *)(- +)?/.exec(line) ?? []
  if (/^\s*(#|$)/.test(line)) return []
  // a list that begins as far to the left as its key is deeper all the same
  return dash === '' ? [indent.length] : [indent.length + 0.5, indent.length + dash.length]
}

/** With their ends. */
const linesOf = (text: string) => text.split(/(?<=\n)/)
const textOf = (line: string) => line.replace(/\r?\n$/, '')
const endOf = (line: string) => line.slice(textOf(line).length)
const usualEndOf = (lines: readonly string[]) =>
  lines.filter((line) => endOf(line) === '\r\n').length * 2 > lines.length ? '\r\n' : '\n'

const withEnds = (lines: readonly string[], usual: string) =>
  lines.map((line) => (endOf(line) === '' ? line + usual : line)).join('')

const withoutSpaces = (line: string) => line.replace(/\s+/g, '')
