import type { ToStringOptions } from 'yaml'

/** Prints YAML in the form of the text that it was parsed from, so that lines stay as they were unless they changed. */
export function printedLike(before: string, print: (form: ToStringOptions) => string): string {
  const text = before.replaceAll('\r\n', '\n')
  const printed = withLinesOf(text, print({ lineWidth: 0, ...indentationOf(text) }))
  return before === text ? printed : printed.replaceAll('\n', '\r\n')
}

function indentationOf(text: string) {
  const indent = /^( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2
  // a list that begins as far to the left as its key
  const isFlush = /^( *)[^\s#][^\n]*:[ \t]*(?:#[^\n]*)?\n\1- /m.test(text)
  return { indent, indentSeq: !isFlush }
}

/** Takes lines that differ in their inner spaces alone as they were: `[a, b]`, or a comment farther to the right. */
function withLinesOf(before: string, after: string): string {
  const squeezed = (line: string) => line.replace(/(?<=\S)[ \t]+/g, '')
  const own = Map.groupBy(before.split('\n'), squeezed)
  return after
    .split('\n')
    .map((line) => {
      // such lines may be two texts, which differ in their spaces
      const [first, ...more] = own.get(squeezed(line)) ?? []
      return first !== undefined && more.every((other) => other === first) ? first : line
    })
    .join('\n')
}
