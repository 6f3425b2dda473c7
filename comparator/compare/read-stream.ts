import { describe, type Problem, problem } from './mapping-problem.ts'
import { type BodyDocument, parseJson } from './parse-json.ts'
import { resolvePointer } from './resolve-pointer.ts'

/** Begins a line of a server-sent event (WHATWG, "Server-sent events"); no JSON text begins so. */
const fieldOfEvent = /^(?:data|event|id|retry)?:/
/** What OpenAI's API, and those that follow it, say at the end. */
const endMark = '[DONE]'

/**
 * The documents of an answer that came as a stream, in their order: the data of server-sent events, or one on each line
 * (NDJSON). Told apart by the first line, since content types are not always captured.
 */
export function readStream(text: string): BodyDocument | Problem {
  const lines = text.split(/\r\n|\n|\r/)
  const first = lines.find((line) => line !== '')
  if (first === undefined) return problem('empty', '', 'a stream of JSON', 'an empty body')
  const documents: unknown[] = []
  for (const data of fieldOfEvent.test(first) ? dataOfEvents(lines) : lines) {
    if (data.trim() === '' || data === endMark) continue
    const parsed = parseJson(data)
    if (parsed.kind === 'problem') {
      const found = `one that is none after ${documents.length} that are`
      return problem('format', '', 'server-sent events of JSON, or JSON on each line', found)
    }
    documents.push(parsed.document)
  }
  return { kind: 'document', document: documents }
}

/** Of each event its lines of data as one text; an event that the stream's end cut off counts too. */
function dataOfEvents(lines: readonly string[]): string[] {
  const events: string[] = []
  let data: string[] = []
  for (const line of [...lines, '']) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    if (line !== '' || data.length === 0) continue
    events.push(data.join('\n'))
    data = []
  }
  return events
}

/** The pieces of a text, as each document of a stream may have one, put together; `null` is none. */
export function textOfStream(documents: readonly unknown[], pointer: string): string | Problem {
  const pieces = documents.map((document) => resolvePointer(document, pointer)).filter((piece) => piece != null)
  if (pieces.length === 0) return problem('notFound', pointer, 'a text', `none in ${documents.length} pieces`)
  const other = pieces.find((piece) => typeof piece !== 'string')
  return other === undefined ? pieces.join('') : problem('type', pointer, 'a text', describe(other))
}
