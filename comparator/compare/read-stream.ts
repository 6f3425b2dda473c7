import { describe, type Problem, problem } from './mapping-problem.ts'
import { type BodyDocument, parseJson } from './parse-json.ts'
import { resolvePointer } from './resolve-pointer.ts'

/** Begins a server-sent event's line (WHATWG, "Server-sent events"), colon or none; no JSON text begins so. */
const fieldOfEvent = /^(?:(?:data|event|id|retry)(?::|$)|:)/
/** What OpenAI's API, and those that follow it, say at the end. */
const endMark = '[DONE]'

/**
 * The documents of an answer that came as a stream, in their order: the data of server-sent events, or one on each line
 * (NDJSON); of one that came whole the one that it is. Told apart by the first line, since content types are not always
 * captured. What tells of an error is none, whole or however much came before.
 */
export function readStream(text: string): BodyDocument | Problem {
  const lines = text.split(/\r\n|\n|\r/)
  const first = lines.find((line) => line !== '')
  if (first === undefined) return problem('empty', '', 'a stream of JSON', 'an empty body')
  const areEvents = fieldOfEvent.test(first)
  const whole = areEvents ? null : parseJson(text)
  if (whole?.kind === 'document') {
    return isError(whole.document) ? broken(0) : { kind: 'document', document: [whole.document] }
  }
  const documents: unknown[] = []
  for (const { name, data } of areEvents ? eventsIn(lines) : lines.map((line) => ({ name: '', data: line }))) {
    if (name !== 'error' && ['', endMark].includes(data.trim())) continue
    const parsed = name === 'error' ? null : parseJson(data)
    if (parsed === null || (parsed.kind === 'document' && isError(parsed.document))) return broken(documents.length)
    if (parsed.kind === 'problem') {
      const found = `one that is none after ${documents.length} that are`
      return problem('format', '', 'server-sent events of JSON, or JSON on each line', found)
    }
    documents.push(parsed.document)
  }
  return { kind: 'document', document: documents }
}

/** As OpenAI's API, Ollama and others tell of it, once the status was sent. */
const isError = (document: unknown) => Boolean(resolvePointer(document, '/error'))

const broken = (pieces: number) => problem('format', '', 'a stream without an error', `an error after ${pieces} pieces`)

/** Of each event its lines of data as one text; an event that the stream's end cut off counts too. */
function eventsIn(lines: readonly string[]): { name: string; data: string }[] {
  const events: { name: string; data: string }[] = []
  let name = ''
  let data: string[] = []
  for (const line of [...lines, '']) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
    if (line !== '') continue
    events.push({ name, data: data.join('\n') })
    name = ''
    data = []
  }
  return events
}

/**
 * The pieces of a text, as each document of a stream may have one, put together; `null` is none. `whole`: where it stands
 * in an answer that came in one piece.
 */
export function textOfStream(documents: readonly unknown[], pointer: string, whole?: string): string | Problem {
  const inOne = whole !== undefined && documents.length === 1 ? resolvePointer(documents[0], whole) : undefined
  if (typeof inOne === 'string') return inOne
  const pieces = documents.map((document) => pieceIn(document, pointer)).filter((piece) => piece != null)
  if (pieces.length === 0) return problem('notFound', pointer, 'a text', `none in ${documents.length} pieces`)
  const other = pieces.find((piece) => typeof piece !== 'string')
  return other === undefined ? pieces.join('') : problem('type', pointer, 'a text', describe(other))
}

/** OpenAI's API sends a second choice's pieces alone in their list: which one it is of, `index` says. */
function pieceIn(document: unknown, pointer: string): unknown {
  const [root, list, place = ''] = pointer.split('/')
  const index = /^\d+$/.test(place) ? resolvePointer(document, `${root}/${list}/${place}/index`) : undefined
  return typeof index === 'number' && index !== Number(place) ? undefined : resolvePointer(document, pointer)
}
