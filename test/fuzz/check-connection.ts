import { noAnswerStatuses } from '../../mirror/live/live-watch.ts'
import { bodyDifference, differenceOf, endToEnd } from './end-to-end.ts'
import type { Played } from './play-connection.ts'
import type { Answer, Role } from './random-answer.ts'
import { type ClientConnection, type Expected, isKept } from './random-connection.ts'
import { type Message, readMessage, tokensOf, valuesOf } from './read-message.ts'

/** What the other parts of a round know when a connection is judged. */
export interface Evidence {
  /** The answer with this mark. */
  answerOf: (mark: string) => Answer | undefined
  /** The answers of those who saw the whole live request with this key, the last one last. */
  wholeAt: (key: string) => Answer[]
  /** Whether upstream connections may have broken under a request that was not at fault. */
  hasFaults: boolean
  /** Whether any answer may exceed the mirror's timeout. */
  isHasty: boolean
}

export interface Judged {
  violations: string[]
  /** Keys of the requests whose answer the client received whole. */
  answered: Set<string>
}

/** Compares what a client received with what the upstreams answered, response by response. */
export function checkConnection(plan: ClientConnection, played: Played, evidence: Evidence): Judged {
  const judged: Judged = { violations: [], answered: new Set() }
  const { received } = played
  const say = (what: string) => judged.violations.push(`connection ${plan.index}: ${what}`)
  if (played.hung !== undefined) say(`still waiting for ${played.hung}`)
  // a client that left early must have received the beginning of its responses
  const mayCut = plan.isPlain && plan.leaving.kind === 'halfClosed'
  const isCut = 'after' in plan.leaving || mayCut || played.hung !== undefined
  let at = 0
  for (const request of plan.expected) {
    const where = `response to ${request.message.start.join(' ')}`
    const isExcused = isCut || !request.isSure
    const response = finalResponse(received, at, request, played)
    if (response.kind === 'bad') {
      say(`${where}: malformed (${response.why}): ${JSON.stringify(received.toString('latin1', at, at + 400))}`)
      return judged
    }
    if (response.kind === 'none') {
      if (!isExcused && !mayBreak(request, evidence)) say(`${where}: none came (${ends(played)})`)
      if (at < received.length && request.isSure && !mayBreak(request, evidence) && !isCut)
        say(`${where}: broke off in its head`)
      return judged
    }
    const { message } = response
    const mark = valuesOf(message.fields, 'x-mark')[0]
    if (mark === undefined) {
      const problem = checkOwn(request, message, evidence, isExcused)
      if (problem) say(`${where}: ${problem}`)
    } else {
      const answer = evidence.answerOf(mark)
      if (!answer || mark.split(' ')[1] !== request.key) {
        say(`${where}: is marked ${JSON.stringify(mark)}`)
        return judged
      }
      if (request.kind === 'bad' && answer.begins === 'whole')
        say(`${where}: answered, though it was to be refused: ${request.why}`)
      for (const problem of checkAnswer(answer, message, response.kind, request, plan.isPlain))
        say(`${where}: ${problem}`)
      if (response.kind === 'whole') judged.answered.add(request.key)
      else if (!isExcused && !mayBreak(request, evidence)) say(`${where}: broke off (${ends(played)})`)
    }
    if (response.kind === 'partial') return judged
    at = response.end
    if (!isKept(message) || (mark === undefined && /^4/.test(message.start[1]))) {
      // if its head was refused, the mirror may not know that it was a HEAD request
      if (at < received.length && (mark !== undefined || request.isSure))
        say(`${where}: more behind the last response: ${JSON.stringify(received.toString('latin1', at, at + 200))}`)
      return judged
    }
    if (message.framing === 'close') return judged
    if (!isKept(request.message) && !isCut) say(`${where}: does not say that the connection closes`)
  }
  // the remainder may only be the refusal of something that was not a request
  if (at < received.length && plan.refused === undefined && !plan.expected.some(({ isSure }) => !isSure)) {
    say(`unasked-for bytes: ${JSON.stringify(received.toString('latin1', at, at + 200))}`)
  }
  return judged
}

const ends = ({ end, isReset }: Played) => (isReset ? 'reset' : end)

type Response =
  | { kind: 'whole' | 'partial'; message: Message; end: number }
  | { kind: 'none' }
  | { kind: 'bad'; why: string }

/**
 * Skips 1xx responses. A body framed by the connection's end is complete if the mirror closed the connection without a
 * reset.
 */
function finalResponse(received: Buffer, from: number, request: Expected, played: Played): Response {
  for (let at = from; ; ) {
    const reading = readMessage(received, at, { responseTo: request.message.start[0] })
    if (reading.kind === 'bad') return reading
    const { message } = reading
    if (!message) return { kind: 'none' }
    if (message.doubts.length > 0) return { kind: 'bad', why: message.doubts.join('; ') }
    if (reading.kind === 'whole' && message.start[1][0] === '1') {
      if (request.message.start[2] === 'HTTP/1.0') return { kind: 'bad', why: '1xx to HTTP/1.0' }
      at = reading.end
      continue
    }
    if (reading.kind === 'whole') return { kind: 'whole', message, end: reading.end }
    const isWhole = message.framing === 'close' && !played.isReset && played.end === 'closedByMirror'
    return { kind: isWhole ? 'whole' : 'partial', message, end: received.length }
  }
}

/** Whether an upstream's behaviour may keep a whole answer from the client. */
function mayBreak(request: Expected, { wholeAt, hasFaults, isHasty }: Evidence): boolean {
  if (isHasty) return true
  const answer = wholeAt(request.key).at(-1)
  if (!answer) return hasFaults
  // a candidate that says it has no answer is followed by the primary, whose connection may have broken
  if (saysNone(answer)) return hasFaults
  return answer.fault !== undefined || (answer.begins === 'head' && answer.afterwards !== 'kept')
}

const isOf = (role: Role, { mark }: Answer) => mark.startsWith(`${role} `)

/** Whether it is a candidate's that says it has no answer: the mirror sets it aside while it asks the primary. */
const saysNone = (answer: Answer) => {
  const { message } = readMessage(answer.bytes, answer.start, { responseTo: answer.method })
  return !isOf('primary', answer) && noAnswerStatuses.has(Number(message?.start[1]))
}

function checkOwn(request: Expected, message: Message, evidence: Evidence, isExcused: boolean): string | undefined {
  const status = Number(message.start[1])
  if (status >= 400 && status !== 502 && status !== 504) {
    return isExcused ? undefined : `a valid request was refused with ${message.start.slice(1).join(' ')}`
  }
  const isOurs = status === 502 || status === 504
  const answer = evidence.wholeAt(request.key).at(-1)
  // garbage may arrive before the request is whole, and then nobody has seen it whole
  const mayBeGarbage = answer ? answer.fault?.kind === 'garbage' : evidence.hasFaults
  if (!isOurs && !mayBeGarbage) return `an unmarked ${message.start.slice(1).join(' ')}`
  if (isExcused || mayBreak(request, evidence)) return undefined
  return `${message.start[1]} in place of the answer ${answer?.mark ?? '(no upstream saw it whole)'}`
}

function checkAnswer(
  answer: Answer,
  got: Message,
  kind: 'whole' | 'partial',
  request: Expected,
  isPlain: boolean,
): string[] {
  const reading = readMessage(answer.bytes, answer.start, { responseTo: answer.method })
  const wanted = reading.message!
  const isHead = answer.method === 'HEAD'
  const trailers = (message: Message) => (isPlain ? [] : message.trailers)
  const lengthOf = (message: Message) => valuesOf(message.fields, 'content-length')
  const isOld = request.message.start[2] === 'HTTP/1.0'
  // what was set aside is framed by its length
  const hasLostTrailers = saysNone(answer) && got.framing === 'length' && got.trailers.length === 0
  return [
    differenceOf('status', got.start[1], wanted.start[1]),
    differenceOf('reason', got.start[2], wanted.start[2]),
    differenceOf('fields', withoutAdded(endToEnd(got, isPlain), wanted, answer), endToEnd(wanted, isPlain)),
    wanted.framing === 'length' || isHead ? differenceOf('content-length', lengthOf(got), lengthOf(wanted)) : undefined,
    isOld && tokensOf(got.fields, 'transfer-encoding').length > 0 ? 'a transfer coding to HTTP/1.0' : undefined,
    kind === 'whole' && !isOld && !hasLostTrailers
      ? differenceOf('trailers', trailers(got), trailers(wanted))
      : undefined,
    kind === 'whole' && !answer.fault ? bodyDifference(got.body, wanted.body) : undefined,
    bodyDifference(got.body, wanted.body.subarray(0, got.body.length)),
    kind === 'whole' && answer.fault && !isOld && got.body.length < wanted.body.length && wanted.framing !== 'close'
      ? 'an answer that broke off seems whole'
      : undefined,
  ].filter((problem) => problem !== undefined)
}

/**
 * Drops what the mirror adds: a date that the upstream omitted (RFC 9110, 6.6.1), and the mark of a primary that
 * answered in a candidate's place.
 */
function withoutAdded(fields: ReturnType<typeof endToEnd>, wanted: Message, answer: Answer) {
  const added = new Set<string>()
  if (valuesOf(wanted.fields, 'date').length === 0) added.add('date')
  if (isOf('primary', answer)) added.add('x-understudy-answered-by')
  return fields.filter(([name]) => !added.has(name.toLowerCase()))
}
