import { setTimeout as wait } from 'node:timers/promises'
import { Connection, type HttpAnswer } from '../connection.ts'
import type { ModelName } from '../models/models.ts'
import { readAnswer, requestMessage, type Wire } from './requests.ts'
import type { Throughput } from './side.ts'

export interface ServingLoad {
  port: number
  model: ModelName
  wire: Wire
  connections: number
  durationMs: number
}

/** For the last answers, so that no request is broken off in its middle. */
const patienceMs = 10_000
const errorPauseMs = 10

/**
 * The clients' process. Closed loop: every connection sends its next row as soon as it has its answer, a 200 as long
 * as the first one was; anything else is an error.
 */
export async function loadServing({ port, model, wire, connections, durationMs }: ServingLoad): Promise<Throughput> {
  const request = requestMessage(port, model, wire)
  const clients = Array.from({ length: connections }, () => new Connection(port))
  const latenciesMs: number[] = []
  let first: HttpAnswer | undefined
  let underWay = 0
  let errors = 0
  let rows = 0
  let isOver = false
  // of the last answer: a round's end in the middle of a slow run must not count as time that brought nothing
  let endedAt = 0

  const startedAt = performance.now()
  for (const client of clients) {
    const send = () => {
      if (isOver) return
      underWay++
      const sentAt = performance.now()
      client.send(request, (answer) => {
        underWay--
        if (isGood(answer, wire, first)) {
          first ??= answer
          rows++
          if (!isOver) {
            endedAt = performance.now()
            latenciesMs.push(endedAt - sentAt)
          }
          return send()
        }
        errors++
        // a server that refuses everything must not make this a busy loop
        setTimeout(send, errorPauseMs)
      })
    }
    send()
  }
  await wait(durationMs)
  const rowsPerSecond = latenciesMs.length === 0 ? 0 : (latenciesMs.length * 1000) / (endedAt - startedAt)
  isOver = true
  const givenUpAt = performance.now() + patienceMs
  while (underWay > 0 && performance.now() < givenUpAt) await wait(1)
  errors += underWay
  for (const client of clients) client.close()
  return { rowsPerSecond, rows, latenciesMs, errors, answer: first ? readAnswer(wire, first.head, first.body) : [] }
}

/** JSON has as many digits as its numbers happen to need in their batch; binary answers are all of one length. */
function isGood(answer: HttpAnswer | undefined, wire: Wire, first: HttpAnswer | undefined): answer is HttpAnswer {
  if (answer?.status !== 200) return false
  return wire === 'json' || first === undefined || answer.body.length === first.body.length
}

if (import.meta.main) {
  process.on('message', async (load: ServingLoad) => process.send!(await loadServing(load)))
  process.on('disconnect', () => process.exit(0))
}
