import type { Observation } from '../../vocabulary/observation.ts'
import { bodyDifference, differenceOf } from './end-to-end.ts'
import type { Answer, Role } from './random-answer.ts'
import type { Expected } from './random-connection.ts'
import { keyOf } from './random-request.ts'
import { readMessage } from './read-message.ts'

/**
 * Checks that observations match what was asked and answered, and that each request was delivered once per validation.
 */
export function checkObservations(
  observations: Iterable<Observation>,
  requestOf: (key: string) => Expected | undefined,
  answerTo: (role: Role, key: string) => Answer,
): string[] {
  const violations: string[] = []
  const delivered = new Set<string>()
  for (const { validation, request, primary, candidate } of observations) {
    const say = (what: string | undefined) => {
      if (what) violations.push(`observation of ${request.method} ${request.path} for ${validation}: ${what}`)
    }
    const key = keyOf(request.path)
    const expected = requestOf(key)
    if (!expected) {
      say('nobody sent it')
      continue
    }
    if (delivered.has(`${validation} ${key}`)) say('delivered twice')
    delivered.add(`${validation} ${key}`)
    if (expected.kind !== 'whole') say('of a request that was not whole')
    say(differenceOf('method', request.method, expected.message.start[0]))
    say(bodyDifference(bytesOf(request), expected.message.body))
    for (const [role, outcome] of [
      ['primary', primary],
      [validation === 'noise' ? 'primary' : (validation as Role), candidate],
    ] as const) {
      if (outcome.kind !== 'answered') continue
      const answer = answerTo(role, key)
      if (answer.fault?.kind === 'garbage') continue
      const wanted = readMessage(answer.bytes, answer.start, { responseTo: answer.method }).message!
      say(differenceOf(`${role}'s status`, String(outcome.status), wanted.start[1]))
      const body = bytesOf(outcome)
      // a body framed by its connection's end may end anywhere
      const isOpen = answer.fault !== undefined && wanted.framing === 'close'
      const problem = bodyDifference(body, isOpen ? wanted.body.subarray(0, body.length) : wanted.body)
      if (problem) say(`${role}'s ${problem}`)
    }
  }
  return violations
}

const bytesOf = ({ body, bodyEncoding }: { body?: string; bodyEncoding?: 'utf8' | 'base64' }) =>
  Buffer.from(body ?? '', bodyEncoding)
