import { Counter, metricsOnDemand, type Registry } from '../../runtime/metrics-registry.ts'
import { QuickHistogram } from '../../runtime/quick-histogram.ts'
import { type Leg, legs } from '../../vocabulary/leg.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { type Guarded, guarded } from '../guard.ts'
import type { LiveRecord } from '../live/live-record.ts'
import type { WhyPassedOn } from '../live/live-watch.ts'

/** 1xx to 5xx. */
const noResponses = () => [0, 0, 0, 0, 0]

export interface TrafficMetrics {
  /** Counts a finished live request. */
  request(live: Leg, record: LiveRecord): void
  /** Counts a shadow request's outcome; `leg`: where it was to be sent. */
  shadow(validation: string, leg: Leg, outcome: LegOutcome): void
  /** Counts a live candidate's request that was passed on to the primary. */
  passedOn(validation: string, why: WhyPassedOn): void
  mirrorError(doing: Guarded): void
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Metrics counted as things happen: per request one histogram, a count and two sums; per shadow request one counter and
 * two histograms.
 */
export function createTrafficMetrics(registry: Registry): TrafficMetrics {
  const { counter } = metricsOnDemand(registry)
  const requests = new QuickHistogram({
    name: 'understudy_mirror_request_seconds',
    help: 'Duration of live requests, from request head to last response byte, by who answered and how they ended',
    labelNames: ['live', 'end'],
    buckets: seconds,
    registry,
  })
  const bytes = { request: 0, response: 0 }
  counter('understudy_mirror_request_bytes_total', 'Body bytes of live requests, from clients', () => bytes.request)
  counter('understudy_mirror_response_bytes_total', 'Body bytes of live responses, to clients', () => bytes.response)
  const responses: Record<Leg, number[]> = { primary: noResponses(), candidate: noResponses() }
  counter(
    'understudy_mirror_responses_total',
    'Responses to clients by status class and by who answered; a 502 or 504 can be the mirror’s own, or a candidate’s where no primary answered',
    () => legs.flatMap((live) => responses[live].map((count, i) => [count, { live, class: `${i + 1}xx` }] as const)),
    { labels: ['live', 'class'] },
  )
  const outcomes = new Map<string, { labels: Record<'validation' | 'leg' | 'outcome', string>; count: number }>()
  counter(
    'understudy_mirror_shadow_outcomes_total',
    'Shadow requests by outcome; leg is primary for copies sent to the primary while the candidate is live',
    () => Array.from(outcomes.values(), ({ labels, count }) => [count, labels]),
    { labels: ['validation', 'leg', 'outcome'] },
  )
  const answers = new QuickHistogram({
    name: 'understudy_mirror_shadow_seconds',
    help: 'Duration of answered shadow requests, from sending to last response byte',
    labelNames: ['validation', 'leg'],
    buckets: seconds,
    registry,
  })
  const queued = new QuickHistogram({
    name: 'understudy_mirror_shadow_queue_seconds',
    help: 'Time in the queue until a shadow request was sent or shed',
    labelNames: ['validation', 'leg'],
    buckets: [0.0001, 0.001, 0.01, 0.1, 1, 10],
    registry,
  })
  const passedOn = new Counter({
    name: 'understudy_mirror_passed_on_total',
    help: 'Live requests passed on to the primary because the candidate did not answer, by reason: how it failed, or its status; aborted where the client had closed its side',
    labelNames: ['validation', 'reason'],
    registers: [registry],
  })
  const errors = new Counter({
    name: 'understudy_mirror_errors_total',
    help: 'Internal failures of the mirror by what it was doing; none reached a client',
    labelNames: ['doing'],
    registers: [registry],
  })
  // starting at zero, because increase() misses the first count of a series that did not exist before
  for (const doing of guarded) errors.inc({ doing }, 0)

  const countOutcome = (validation: string, leg: Leg, outcome: LegOutcome['kind']) => {
    const key = `${outcome} ${leg} ${validation}`
    outcomes.getOrInsertComputed(key, () => ({ labels: { validation, leg, outcome }, count: 0 })).count++
  }

  return {
    request(live, { end, status = 0, totalMs, requestBytes, responseBytes }) {
      requests.of(live, end).observe(totalMs / 1000)
      const hundreds = Math.floor(status / 100)
      if (hundreds >= 1 && hundreds <= 5) responses[live][hundreds - 1]!++
      bytes.request += requestBytes
      bytes.response += responseBytes
    },
    shadow(validation, leg, { kind, totalMs, queuedMs = 0 }) {
      countOutcome(validation, leg, kind)
      queued.of(validation, leg).observe(queuedMs / 1000)
      if (kind === 'answered') answers.of(validation, leg).observe(totalMs / 1000)
    },
    passedOn: (validation, reason) => passedOn.inc({ validation, reason }),
    mirrorError: (doing) => errors.inc({ doing }),
  }
}
