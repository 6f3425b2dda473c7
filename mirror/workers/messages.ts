import type { CoverageReport } from '../../vocabulary/coverage.ts'
import type { Accounts, Readiness } from '../admin.ts'
import type { MirrorConfig } from '../config.ts'
import type { Resumed } from '../ledger/resumed.ts'
import type { QuietState } from '../routing/quiet-routes.ts'
import type { RoutingPage } from '../routing-page.ts'
import type { MetricsJson } from './merge-metrics.ts'

/** What a worker says of itself, every second and when asked. */
export interface WorkerState {
  accounts: Accounts
  resumed: Resumed
  readiness: Readiness
  quiet: readonly QuietState[]
  routing: RoutingPage
  metrics: MetricsJson
}

/** `id`: to be answered with a `Reply` that has the same one. */
export type ToWorker =
  /** `quiet`, `coverage`: what the worker before it had come to. */
  | {
      kind: 'start'
      config: MirrorConfig
      number: number
      quiet: readonly QuietState[]
      coverage: readonly CoverageReport[]
    }
  | { kind: 'tell'; id: number }
  /** Make a config ready beside the one in force, then put it in force or forget it; one is put in force unprepared too. */
  | { kind: 'prepare'; id: number; config: MirrorConfig }
  | { kind: 'apply'; id: number; config: MirrorConfig }
  | { kind: 'discard'; id: number }
  /** With a client's connection, which may be lost on the way, and the message with it. */
  | { kind: 'connection' }
  /** Behind each connection. */
  | { kind: 'confirm' }
  | { kind: 'stop' }

export interface Reply {
  kind: 'reply'
  id: number
  /** Why it could not be done. */
  problem?: string
}

export type FromWorker =
  /** It listens to messages now. */
  | { kind: 'hello' }
  /** It serves. */
  | { kind: 'up'; resumed: Resumed }
  /** Whether the connection came, and is its own. */
  | { kind: 'confirmed'; hasArrived: boolean }
  | { kind: 'startFailed'; problem: string }
  | { kind: 'accounts'; accounts: Accounts; resumed: Resumed; coverage: readonly CoverageReport[] }
  | { kind: 'state'; state: WorkerState }
  | Reply
