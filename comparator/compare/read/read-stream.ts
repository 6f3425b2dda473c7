import { describe, type Problem, problem } from './mapping-problem.ts'
import { type BodyDocument, parseJson } from './parse-json.ts'
import { resolvePointer } from './resolve-pointer.ts'

/** Start of a line of server-sent events (WHATWG, "Server-sent events"), with or without a colon; no JSON starts so. */
const fieldOfEvent = /^(?:(?:data|event|id|retry)(?::|$)|:)/
/** The end mark of OpenAI's API and its followers. */
const endMark = '[DONE]'

/**
 * The documents of a streamed answer in order: the data of server-sent events, or one on each line (NDJSON). An answer
 * that is one JSON document is a stream of one. The first line tells the forms apart, as content types are not always
 * captured. A document that reports an error makes the whole answer a problem, however much came before it.
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

/** The form in which OpenAI's API, Ollama and others report errors after the status was sent. */
const isError = (document: unknown) => Boolean(resolvePointer(document, '/error'))

const broken = (pieces: number) => problem('format', '', 'a stream without an error', `an error after ${pieces} pieces`)

/** The events, each with its data lines joined. An event that the end of the stream cuts off counts too. */
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
 * Joins the pieces of a text, of which each document of a stream may have one at `pointer`; `null` is no piece. `whole`
 * is the pointer to the text in an answer of one document.
 */
export function textOfStream(documents: readonly unknown[], pointer: string, whole?: string): string | Problem {
  const inOne = whole !== undefined && documents.length === 1 ? resolvePointer(documents[0], whole) : undefined
  if (typeof inOne === 'string') return inOne
  const pieces = documents.map((document) => pieceIn(document, pointer)).filter((piece) => piece != null)
  if (pieces.length === 0) return problem('notFound', pointer, 'a text', `none in ${documents.length} pieces`)
  const other = pieces.find((piece) => typeof piece !== 'string')
  return other === undefined ? pieces.join('') : problem('type', pointer, 'a text', describe(other))
}

/** OpenAI's API sends each choice's piece as the only item of a list; its `index` says which choice it belongs to. */
function pieceIn(document: unknown, pointer: string): unknown {
  const [root, list, place = ''] = pointer.split('/')
  const index = /^\d+$/.test(place) ? resolvePointer(document, `${root}/${list}/${place}/index`) : undefined
  return typeof index === 'number' && index !== Number(place) ? undefined : resolvePointer(document, pointer)
}
