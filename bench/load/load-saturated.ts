import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, type HttpAnswer } from './connection.ts'
import { isExpected } from './payload.ts'
import { requestMessage } from './request-message.ts'

export interface SaturatedLoad {
  kind: 'saturated'
  port: number
  connections: number
  durationMs: number
  requestBytes: number
}
export interface SaturatedResult {
  requestsPerSecond: number
  /** Total number of requests sent. */
  requests: number
  errors: number
}

/** How long to wait for the last responses, so that no request is cut off. */
const patienceMs = 1000
const errorPauseMs = 10

/** Closed loop: every connection sends its next request as soon as it has a response. */
export async function loadSaturated(load: SaturatedLoad): Promise<SaturatedResult> {
  const { port, connections, durationMs, requestBytes } = load
  const request = requestMessage(port, requestBytes)
  let sent = 0
  let ended = 0
  let errors = 0
  let isOver = false
  const clients = Array.from({ length: connections }, () => new Connection(port))
  const startedAt = performance.now()
  for (const client of clients) {
    const send = () => {
      if (isOver) return
      sent++
      client.send(request, next)
    }
    const next = (answer: HttpAnswer | undefined) => {
      ended++
      if (isExpected(answer)) send()
      else {
        errors++
        // a server that refuses everything must not cause a busy loop
        setTimeout(send, errorPauseMs)
      }
    }
    send()
  }
  await sleep(durationMs)
  const requestsPerSecond = ((ended - errors) * 1000) / (performance.now() - startedAt)
  isOver = true
  const givenUpAt = performance.now() + patienceMs
  while (ended < sent && performance.now() < givenUpAt) await sleep(1)
  for (const client of clients) client.close()
  return { requestsPerSecond, requests: sent, errors }
}
