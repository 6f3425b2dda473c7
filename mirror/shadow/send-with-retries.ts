import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import type { CircuitBreaker, Permit } from './circuit-breaker.ts'

/** The pause before the second attempt; doubled before each further one. */
const firstPauseMs: Milliseconds = 25

interface RetryOptions {
  retries: number
  /** Covers all attempts, from the start of the first. */
  deadlineMs: Milliseconds
  breaker: CircuitBreaker
  clock: Clock
}

/** Sends once and calls `ended` once; the returned function ends the attempt as `shed`. */
type Attempt = (deadlineMs: Milliseconds, ended: (outcome: LegOutcome) => void) => () => void

/**
 * Sends, and sends again if an attempt was `refused`, or `reset` before a response had begun, as often as the config
 * and the breaker allow. An upstream may thus get a shadow request twice, whatever its method: it is only a copy, no
 * client waits for it, and whoever configures `retries` accepts that.
 *
 * The outcome and its times are those of the last attempt, so that the upstream is timed from when that attempt was
 * sent. `lostMs` is the time spent before it, in attempts and pauses.
 */
export function sendWithRetries(
  attempt: Attempt,
  permit: Permit,
  { retries, deadlineMs, breaker, clock }: RetryOptions,
  done: (outcome: LegOutcome, lostMs: Milliseconds) => void,
): () => void {
  const beganAt = clock.monotonic()
  let attempts = 0
  let abandon = () => {}

  const send = (permit: Permit, lostMs: Milliseconds) => {
    let hasEnded = false
    attempts++
    const abandonAttempt = attempt(deadlineMs - lostMs, (outcome) => {
      hasEnded = true
      breaker.leave(permit, outcome.kind)
      const pauseMs = firstPauseMs * 2 ** (attempts - 1)
      const leftMs = beganAt + deadlineMs - clock.monotonic()
      const isAllowed = attempts <= retries && pauseMs < leftMs && breaker.isClosed
      if (isAllowed && isRetriable(outcome)) pause(outcome, lostMs, pauseMs)
      else done(outcome, lostMs)
    })
    if (!hasEnded) abandon = abandonAttempt
  }

  const pause = (outcome: LegOutcome, lostMs: Milliseconds, pauseMs: Milliseconds) => {
    const timer = setTimeout(() => {
      const lostByNowMs = clock.monotonic() - beganAt
      const next = lostByNowMs < deadlineMs ? breaker.enter() : undefined
      if (next === undefined) done(outcome, lostMs)
      else send(next, lostByNowMs)
    }, pauseMs)
    abandon = () => {
      clearTimeout(timer)
      done({ kind: 'shed', totalMs: 0 }, clock.monotonic() - beganAt)
    }
  }

  send(permit, 0)
  return () => abandon()
}

/** A failed outcome has fields only if a response had begun. */
function isRetriable(outcome: LegOutcome): boolean {
  return outcome.kind === 'refused' || (outcome.kind === 'reset' && outcome.fields === undefined)
}
