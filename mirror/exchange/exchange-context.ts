import type { Clock } from '../../runtime/clock.ts'
import type { Leg } from '../../vocabulary/leg.ts'
import type { RouteState } from '../../vocabulary/routing.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import type { LiveHeadersConfig } from '../config/headers.ts'
import type { Guard } from '../guard.ts'
import type { Entry } from '../ledger/entry.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LiveRequest, WhyPassedOn } from '../live/live-watch.ts'
import type { MirroredRoute, Understudy } from '../shadow/understudy.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { ObservationRules } from './observation-parts.ts'

export type Routing = Readonly<Record<string, RouteState>>

/** What is known about a client's request once its head has arrived. */
export interface ExchangeStart {
  request: LiveRequest
  route: MirroredRoute
  routing: Routing
  /** An id found later in the body replaces this one. */
  correlationId: string
  /** The candidate that the routing gives the request to. */
  chosen: Understudy | undefined
  /** Whether the chosen candidate is asked first; else the primary is. */
  isOnStage: boolean
  trace: RequestTrace | undefined
}

/** What an exchange needs of the mirror. */
export interface ExchangeContext {
  clock: Clock
  newId: () => string
  budget: ByteBudget
  ledger: Ledger
  rules: ObservationRules
  /** Whether a header of the client's is dropped from the shadow leg. */
  isDropped: (name: string) => boolean
  headers: LiveHeadersConfig
  primary: UpstreamGroup
  /** The number of exchanges not yet over; a stopping mirror waits for them. */
  open: { count: number }
  accept: (observation: Buffer, entry: Entry) => void
  /** `leg`: where the copy was sent or would have been. */
  shadowEnded: (validation: string, leg: Leg, outcome: LegOutcome) => void
  /** A copy was answered 401 or 403, its live request was not. */
  copyRefused: (validation: string, status: number) => void
  /** A live candidate's request was passed on to the primary. */
  passedOn: (validation: string, why: WhyPassedOn) => void
  guard: Guard
}
