import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises'
import { type Answer, poison } from './random-answer.ts'
import { keyOf } from './random-request.ts'
import { oddMethod, oddTarget } from './read-head.ts'
import { type Message, oddExpectation, oddHost, type Reading, readMessage, valuesOf } from './read-message.ts'

/** One request as an upstream saw it, whole or in part. */
export interface Seen {
  key: string
  isShadow: boolean
  isWhole: boolean
  message: Message
}

export interface ScriptedUpstream {
  url: string
  seen: Seen[]
  /** Requests that no client sent, or that no sender may send. */
  violations: string[]
  close(): void
}

type AnswerTo = (key: string) => Answer | undefined

/** Reads requests without Node's parsers, and responds to each as its key determines. */
export async function scriptedUpstream(name: string, answerTo: AnswerTo): Promise<ScriptedUpstream> {
  const sockets = new Set<Socket>()
  const upstream: Omit<ScriptedUpstream, 'url'> = {
    seen: [],
    violations: [],
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  const note = (what: string, bytes: Buffer) =>
    upstream.violations.push(`${name} saw ${what}: ${JSON.stringify(bytes.toString('latin1', 0, 500))}`)
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    new Connection(socket, answerTo, upstream.seen, note)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(upstream, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** Handles one request after another: `reading` until it is whole and `playing` its answer, until both are done. */
class Connection {
  readonly #socket: Socket
  readonly #answerTo: AnswerTo
  readonly #seen: Seen[]
  readonly #note: (what: string, bytes: Buffer) => void
  #bytes: Buffer = Buffer.alloc(0)
  #current: Seen | undefined
  #play: 'waiting' | 'playing' | 'played' = 'waiting'
  #isOver = false
  #hasEnded = false

  constructor(socket: Socket, answerTo: AnswerTo, seen: Seen[], note: (what: string, bytes: Buffer) => void) {
    this.#socket = socket
    this.#answerTo = answerTo
    this.#seen = seen
    this.#note = note
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
      this.#advance()
    })
    socket.on('end', () => {
      this.#hasEnded = true
      this.#closeIfDone()
    })
  }

  /** A sender that has finished may still want the answer. */
  #closeIfDone(): void {
    if (this.#hasEnded && this.#play !== 'playing') this.#socket.end()
  }

  #advance(): void {
    while (this.#bytes.length > 0 && !this.#isOver) {
      const reading = readMessage(this.#bytes, 0, 'request')
      const problem = problemOf(reading)
      if (problem !== undefined) {
        this.#refuse(problem)
        return
      }
      const { message } = reading
      if (!message) return
      const key = keyOf(message.start[1])
      const answer = this.#answerTo(key)
      if (!answer) {
        this.#refuse('a request that nobody sent')
        return
      }
      if (!this.#current) {
        const isShadow = valuesOf(message.fields, 'x-understudy-shadow').length > 0
        this.#current = { key, isShadow, isWhole: false, message }
        this.#seen.push(this.#current)
      }
      this.#current.message = message
      this.#current.isWhole = reading.kind === 'whole'
      if (this.#play === 'waiting' && (answer.begins === 'head' || this.#current.isWhole)) this.#begin(answer)
      if (reading.kind !== 'whole' || this.#play !== 'played') return
      this.#bytes = this.#bytes.subarray(reading.end)
      this.#current = undefined
      this.#play = 'waiting'
    }
  }

  #begin(answer: Answer): void {
    this.#play = 'playing'
    play(this.#socket, answer).then((isKept) => {
      this.#play = 'played'
      this.#isOver ||= !isKept
      this.#advance()
      this.#closeIfDone()
    })
  }

  #refuse(what: string): void {
    this.#note(what, this.#bytes)
    this.#isOver = true
    this.#socket.destroy()
  }
}

/** Doubts that a proxy may leave to the upstream: none of them affects where a request ends. */
const passedOn = new Set([oddMethod, oddTarget, oddHost, oddExpectation])

function problemOf(reading: Reading): string | undefined {
  if (reading.kind === 'bad') return `malformed bytes (${reading.why})`
  const doubts = reading.message?.doubts.filter((doubt) => !passedOn.has(doubt)) ?? []
  return doubts.length > 0 ? `doubtful bytes (${doubts.join('; ')})` : undefined
}

/** Returns whether the connection continues. */
async function play(socket: Socket, answer: Answer): Promise<boolean> {
  const { fault, cuts, bytes, afterwards } = answer
  if (answer.delayMs > 0) await sleep(answer.delayMs)
  const breaksOff = fault && fault.kind !== 'garbage' ? fault : undefined
  // sent together with the end of the answer: later, it could not be told from the answer to the next request
  const isPoisoned = !breaksOff && afterwards === 'poisoned'
  const end = breaksOff?.at ?? bytes.length
  let at = 0
  for (const cut of [...cuts.filter((cut) => cut < end), end]) {
    if (socket.destroyed) return false
    const part = bytes.subarray(at, cut)
    if (cut === end && isPoisoned) socket.write(Buffer.concat([part, poison]))
    else if (cut > at) socket.write(part)
    at = cut
    if (cut < end) await tick()
  }
  if (breaksOff?.kind === 'silent') return false
  if (breaksOff?.kind === 'reset') {
    // lets the written bytes leave first, or the reset would overtake them
    await tick()
    socket.resetAndDestroy()
    return false
  }
  if (!breaksOff && (afterwards === 'kept' || isPoisoned)) return true
  socket.end()
  return false
}
