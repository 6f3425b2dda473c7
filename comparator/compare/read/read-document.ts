import type { Protocol } from '../../../vocabulary/mapping/mapping-kinds.ts'
import type { Answered } from '../../../vocabulary/outcome.ts'
import { decodeBody } from './decode-body.ts'
import { type Problem, problem } from './mapping-problem.ts'
import { type BodyDocument, type KeepDigits, parseJson } from './parse-json.ts'
import { readOip } from './read-oip.ts'
import { readStream } from './read-stream.ts'

/** A body as the document that pointers resolve in. */
export function readDocument(protocol: Protocol, outcome: Answered, keep?: KeepDigits): BodyDocument | Problem {
  if (protocol === 'oip') return readOip(outcome, keep)
  const text = decodeBody(outcome)
  if (text === undefined) return problem('empty', '', 'a body', 'none')
  if (protocol === 'stream') return readStream(text)
  return protocol === 'plain' ? { kind: 'document', document: text } : parseJson(text, keep)
}
