import type { ToStringOptions } from 'yaml'

/** Prints YAML in the form of the text that it was parsed from, so that lines stay as they were unless they changed. */
export function printedLike(before: string, print: (form: ToStringOptions) => string): string {
  const mark = before.startsWith('\uFEFF') ? '\uFEFF' : ''
  const lines = linesOf(before.slice(mark.length))
  const text = lines.map(textOf).join('\n')
  return mark + withLinesOf(lines, print({ lineWidth: 0, ...indentationOf(text) }))
}

function indentationOf(text: string) {
  const indent = /^( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2
  // a list that begins as far to the left as its key, perhaps below comments
  const isFlush = /^( *)[^\s#][^\n]*:(?:[ \t]*(?:#[^\n]*)?\n)+\1- /m.test(text)
  return { indent, indentSeq: !isFlush }
}

/**
 * Takes lines that differ in their inner spaces or their ends alone as they were: `[a, b]`, or a comment farther to the
 * right. Other lines get the end that most have.
 */
function withLinesOf(before: readonly string[], after: string): string {
  const own = Map.groupBy(before, squeezed)
  const usual = before.filter((line) => endOf(line) === '\r\n').length * 2 > before.length ? '\r\n' : '\n'
  const isOwn = (line: string) => own.has(squeezed(line))
  return linesOf(after)
    .reduce<string[]>((lines, line) => withCommentBehindKey(lines, line, isOwn), [])
    .map((line) => {
      // such lines may be two texts, which differ in their spaces
      const found = own.get(squeezed(line)) ?? []
      return (onlyOf(found.map(textOf)) ?? textOf(line)) + (endOf(line) && (onlyOf(found.map(endOf)) || usual))
    })
    .join('')
}

/** Adds a line. The printer moves a comment behind a key to a line below it: it goes back if it was there. */
function withCommentBehindKey(lines: string[], line: string, isOwn: (line: string) => boolean): string[] {
  const key = textOf(lines.at(-1) ?? '')
  const joined = `${key} ${line.trimStart()}`
  return key.endsWith(':') && /^ *#/.test(line) && isOwn(joined) ? [...lines.slice(0, -1), joined] : [...lines, line]
}

/** With their ends. */
const linesOf = (text: string) => text.split(/(?<=\n)/)
const textOf = (line: string) => line.replace(/\r?\n$/, '')
const endOf = (line: string) => line.slice(textOf(line).length)
const squeezed = (line: string) => textOf(line).replace(/(?<=\S)[ \t]+/g, '')

/** The value that all are; `undefined` if they differ or there is none. */
const onlyOf = (values: readonly string[]) => (values.every((value) => value === values[0]) ? values[0] : undefined)
