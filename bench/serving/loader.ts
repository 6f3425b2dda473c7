import { setTimeout as wait } from 'node:timers/promises'
import { Connection, type HttpAnswer } from '../load/connection.ts'
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

/** How long to wait for the last answers, so that no request is cut off. */
const patienceMs = 10_000
const errorPauseMs = 10

/**
 * The client process. Closed loop: every connection sends its next row as soon as it has an answer. A 200 as long as
 * the first one is good; anything else is an error.
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
  // time of the last answer: a round that ends in the middle of a slow run must not count that time as unproductive
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
        // a server that refuses everything must not cause a busy loop
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

/** The length of JSON varies with the digits of its numbers; binary answers all have the same length. */
function isGood(answer: HttpAnswer | undefined, wire: Wire, first: HttpAnswer | undefined): answer is HttpAnswer {
  if (answer?.status !== 200) return false
  return wire === 'json' || first === undefined || answer.body.length === first.body.length
}

if (import.meta.main) {
  process.on('message', async (load: ServingLoad) => process.send!(await loadServing(load)))
  process.on('disconnect', () => process.exit(0))
}
