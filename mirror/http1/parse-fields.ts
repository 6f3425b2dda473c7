import type { Field } from './fields.ts'

const TAB = 0x09
const SPACE = 0x20
const COLON = 0x3a
const DEL = 0x7f

/** Indexed by character code: whether the character may stand in a name (RFC 9110, 5.6.2). */
const isToken = new Uint8Array(256)
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  isToken[character.charCodeAt(0)] = 1
}

/** What is wrong with a message. For the log and the refusal; never forwarded. */
export class MalformedMessage extends Error {
  /** The status that the client gets. */
  readonly status: 400 | 431 | 501 | 505

  constructor(message: string, status: MalformedMessage['status'] = 400) {
    super(message)
    this.status = status
  }
}

/**
 * Parses the field lines from `lines[from]` on, which were split at CRLF. A lone CR or LF is still in them and refused
 * like any control character. A folded line (`obs-fold`) is refused in requests and unfolded in responses (RFC 9112,
 * 5.2).
 */
export function parseFields(lines: readonly string[], from: number, folding: 'refuse' | 'unfold'): Field[] {
  const fields: Field[] = []
  for (let i = from; i < lines.length; i++) {
    const begin = i
    while (folding === 'unfold' && isFolded(lines[i + 1])) i++
    fields.push(parseField(i === begin ? lines[i]! : unfolded(lines.slice(begin, i + 1))))
  }
  return fields
}

const unfolded = ([first, ...others]: readonly string[]) =>
  [first!.trimEnd(), ...others.map((line) => line.trim()).filter((line) => line !== '')].join(' ')

const isFolded = (next: string | undefined) => next !== undefined && (next.startsWith(' ') || next.startsWith('\t'))

/** A single pass over the characters, since every request pays for it. */
function parseField(line: string): Field {
  const { length } = line
  let colon = 0
  while (colon < length && isToken[line.charCodeAt(colon)] === 1) colon++
  // also refuses white space before the colon and at the start of the line
  if (colon === 0 || line.charCodeAt(colon) !== COLON) throw new MalformedMessage('a line that is no header field')
  let start = -1
  let end = colon + 1
  for (let i = colon + 1; i < length; i++) {
    const code = line.charCodeAt(i)
    if (code === SPACE || code === TAB) continue
    // including a lone CR or LF
    if (code < SPACE || code === DEL) throw new MalformedMessage('a control character in a header field')
    if (start < 0) start = i
    end = i + 1
  }
  const value = start < 0 ? '' : line.slice(start, end)
  return { name: line.slice(0, colon).toLowerCase(), value, line }
}
