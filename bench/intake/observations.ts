import { randomUUIDv7 } from 'node:crypto'
import { observationBytes } from './plan.ts'

const perMs = 5
const labels = Array.from({ length: 10 }, (_, i) => String(i))

/** The validation that the observations belong to; `bodies` says which bodies are kept. */
export const validationOf = (bodies: 'worst' | 'all') => ({
  name: 'bench',
  output: { kind: 'classification', scores: '/predictions', labels },
  store: { bodies },
  window: { duration: '30d', samplesMin: 10_000, coverageMin: 0.95 },
  gate: [
    { metric: 'agreement', min: 0.99 },
    { metric: 'latency.candidate.p99', max: 250 },
  ],
})

/** Observations as JSON, each `observationBytes` long with an id of its own, timed as if 5,000 arrived per second. */
export function makeObservations(count: number): string[] {
  const began = Date.now() - count / perMs
  return Array.from({ length: count }, (_, i) => makeObservation(began + Math.floor(i / perMs), i))
}

function makeObservation(at: number, i: number): string {
  const top = i % labels.length
  const observation = {
    id: randomUUIDv7(),
    validation: 'bench',
    at: new Date(at).toISOString(),
    correlationId: `request-${i}`,
    request: {
      method: 'POST',
      path: '/predictions/bench',
      headers: { 'content-type': 'application/json' },
      body: '',
      bodyEncoding: 'utf8',
      bodyBytes: 0,
    },
    primary: answer(top, 20 + 60 * Math.random() ** 3),
    candidate: answer(Math.random() < 0.98 ? top : (top + 1) % labels.length, 4 + 20 * Math.random() ** 3),
  }
  const padding = observationBytes - JSON.stringify(observation).length - 3
  observation.request.body = 'x'.repeat(padding)
  observation.request.bodyBytes = padding
  const json = JSON.stringify(observation)
  return json.length < observationBytes ? `${json.slice(0, -1)}${' '.repeat(observationBytes - json.length)}}` : json
}

function answer(top: number, totalMs: number) {
  const scores = labels.map((_, i) => (i === top ? 0.7 + 0.25 * Math.random() : 0.03 * Math.random()))
  return {
    kind: 'answered',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ predictions: scores.map((score) => Number(score.toFixed(6))) }),
    bodyEncoding: 'utf8',
    ttfbMs: Number((totalMs - 0.3).toFixed(3)),
    totalMs: Number(totalMs.toFixed(3)),
    version: '1',
  }
}
