import { bodyDifference, differenceOf, endToEnd } from './end-to-end.ts'
import type { Role } from './random-answer.ts'
import type { ClientConnection, Expected } from './random-connection.ts'
import { originForm } from './random-request.ts'
import type { Field } from './read-head.ts'
import { type Message, valuesOf } from './read-message.ts'
import type { Seen } from './scripted-upstream.ts'

const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

/** Checks that an upstream saw only requests that clients sent, unchanged and not too often. */
export function checkUpstream(
  role: Role,
  seen: readonly Seen[],
  requests: ReadonlyMap<string, { request: Expected; connection: ClientConnection }>,
  copiesMax: number,
): string[] {
  const violations: string[] = []
  const times = new Map<string, number>()
  for (const one of seen) {
    const { request, connection } = requests.get(one.key)!
    const kind = one.isShadow ? 'shadow' : 'live'
    const say = (what: string | undefined) => {
      if (what)
        violations.push(
          `connection ${connection.index}: ${role} saw ${kind} ${request.message.start.join(' ')}: ${what}`,
        )
    }
    const count = (times.get(`${kind} ${one.key}`) ?? 0) + 1
    times.set(`${kind} ${one.key}`, count)
    const isTooOften = one.isShadow ? count > copiesMax : count > 1 && !idempotent.has(request.message.start[0])
    if (isTooOften) say(`${count} times`)
    if (one.isWhole && request.kind === 'bad') say(`whole, though it was to be refused: ${request.why}`)
    if (one.isWhole && request.kind === 'partial') say('whole, though it is unfinished')
    say(differenceOf('method', one.message.start[0], request.message.start[0]))
    const target = originForm(request.message.start[1])
    // http-proxy-3 removes an empty query
    const shown = (path: string) => (connection.isPlain ? path.replace(/\?$/, '') : path)
    say(differenceOf('target', shown(one.message.start[1]), shown(target)))
    const { body } = request.message
    say(bodyDifference(one.message.body, one.isWhole ? body : body.subarray(0, one.message.body.length)))
    if (one.isShadow) continue
    say(differenceOf('fields', ...fieldsOf(one.message, request.message, connection.isPlain)))
    if (valuesOf(one.message.fields, 'x-understudy-observation').length > 0) say('with a marker')
    const isDoubtful = request.message.doubts.length > 0
    if (!isDoubtful && request.message.framing === 'length') {
      say(
        differenceOf(
          'content-length',
          valuesOf(one.message.fields, 'content-length'),
          valuesOf(request.message.fields, 'content-length'),
        ),
      )
    }
    if (!connection.isPlain && one.isWhole)
      say(differenceOf('trailers', one.message.trailers, request.message.trailers))
  }
  return violations
}

/** Some servers take these names for the real ones, so the mirror does not pass them on. */
const isMisspelt = (name: string) => /^(transfer_encoding|content_length)$/i.test(name)

/** Both without the host if the target names another, which then takes precedence (RFC 9112, 3.2.2). */
function fieldsOf(seen: Message, sent: Message, isPlain: boolean): [Field[], Field[]] {
  const isAbsolute = sent.start[1] !== originForm(sent.start[1])
  const fields = ({ ...message }: Message) => {
    if (isAbsolute) message.fields = message.fields.filter(([name]) => name.toLowerCase() !== 'host')
    return endToEnd(message, isPlain)
  }
  return [fields(seen), fields({ ...sent, fields: sent.fields.filter(([name]) => !isMisspelt(name)) })]
}

/** Every request by its key; reports a key that occurs twice. */
export function requestsByKey(connections: readonly ClientConnection[]) {
  const requests = new Map<string, { request: Expected; connection: ClientConnection }>()
  for (const connection of connections) {
    for (const request of connection.expected) {
      if (requests.has(request.key)) throw new Error(`${request.key} is not unique`)
      requests.set(request.key, { request, connection })
    }
  }
  return requests
}
