import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { modelVersionHeader } from '../../vocabulary/headers.ts'
import { ApiClient } from '../api-client.ts'
import type { Places } from './places.ts'

const data = join(import.meta.dirname, '../../deploy/demo/data')
/** Requests per second of each kind, sent at fixed times regardless of the answers. */
const ratePerSecond = { digits: 40, diabetes: 20 }
/** Ground truth arrives later than the answer: by seconds here, by days in production. */
const labelDelayMs = 4_000
const labelIntervalMs = 1_000
const versionsRemembered = 100

interface Exchange {
  path: string
  contentType: string
  body: Buffer
  labels: Record<string, unknown>[]
}

export interface Traffic {
  requests: number
  clientErrors: number
  /** Percentage of the last digits answers that came from this model version, measured by the client. */
  livePercentOf(version: string): number
  /** Stops sending and waits for requests in progress; may be called more than once. */
  stop(): Promise<void>
}

/** Replays the held-out inputs through the mirror as live traffic; their true labels follow later. */
export function startTraffic(places: Places): Traffic {
  const agent = new Agent({ connections: 32, pipelining: 1 })
  const api = new ApiClient({ server: places.comparatorUrl, token: places.tokens.ingest })
  const recentVersions: string[] = []
  const labels: { dueAt: number; label: Record<string, unknown> }[] = []
  const inFlight = new Set<Promise<void>>()
  const traffic = {
    requests: 0,
    clientErrors: 0,
    livePercentOf: (version: string) =>
      recentVersions.length === 0
        ? 0
        : (100 * recentVersions.filter((answered) => answered === version).length) / recentVersions.length,
    stop: () => {
      stopping ??= end()
      return stopping
    },
  }
  let stopping: Promise<void> | undefined
  const end = async () => {
    for (const timer of timers) clearInterval(timer)
    await Promise.all(inFlight)
    await agent.close()
  }

  const send = async (exchange: Exchange) => {
    const id = randomUUID()
    traffic.requests++
    try {
      const response = await request(places.mirrorUrl + exchange.path, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': exchange.contentType, 'x-request-id': id },
        body: exchange.body,
      })
      await response.body.dump()
      if (response.statusCode !== 200) traffic.clientErrors++
      if (exchange.path === digitsPath) {
        recentVersions.push(String(response.headers[modelVersionHeader]))
        if (recentVersions.length > versionsRemembered) recentVersions.shift()
      }
      for (const label of exchange.labels) {
        labels.push({ dueAt: Date.now() + labelDelayMs, label: { ...label, correlationId: id } })
      }
    } catch {
      traffic.clientErrors++
    }
  }
  const track = (sending: Promise<unknown>) => {
    const done = sending.then(
      () => void inFlight.delete(done),
      () => void inFlight.delete(done),
    )
    inFlight.add(done)
  }

  const deliverLabels = async () => {
    const due = labels.findIndex(({ dueAt }) => dueAt > Date.now())
    const batch = labels.splice(0, due < 0 ? labels.length : due)
    // the comparator may be restarting, so the labels are kept for the next attempt
    if (batch.length > 0) await api.labels(batch.map(({ label }) => label)).catch(() => labels.unshift(...batch))
  }

  const timers = [
    atRate(ratePerSecond.digits, digitsExchanges(), (exchange) => track(send(exchange))),
    atRate(ratePerSecond.diabetes, diabetesExchanges(), (exchange) => track(send(exchange))),
    setInterval(() => track(deliverLabels()), labelIntervalMs),
  ]
  return traffic
}

const digitsPath = '/predictions/digits'
const jsonLines = (file: string) =>
  readFileSync(join(data, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

function digitsExchanges(): Exchange[] {
  return jsonLines('digits.jsonl').map(({ image, label }: { image: string; label: string }) => ({
    path: digitsPath,
    contentType: 'image/png',
    body: Buffer.from(image, 'base64'),
    labels: ['digits-int8', 'digits-int8-dim'].map((validation) => ({ validation, label })),
  }))
}

function diabetesExchanges(): Exchange[] {
  return jsonLines('diabetes.jsonl').map(({ features, value }: { features: number[]; value: number }) => ({
    path: '/predictions/diabetes',
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(features)),
    labels: [{ validation: 'diabetes-int8', value }],
  }))
}

/** Calls with one item after another in a cycle, and catches up after a late timer. */
function atRate<Item>(perSecond: number, items: Item[], call: (item: Item) => void): NodeJS.Timeout {
  const startedAt = performance.now()
  let sent = 0
  return setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
    for (; sent < due; sent++) call(items[sent % items.length]!)
  }, 1000 / perSecond)
}
