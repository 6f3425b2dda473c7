import type { CoverageReport } from '../../vocabulary/coverage.ts'
import type { Accounts, Readiness } from '../admin.ts'
import type { MirrorConfig } from '../config.ts'
import type { Resumed } from '../ledger/resumed.ts'
import type { QuietState } from '../routing/quiet-routes.ts'
import type { RoutingPage } from '../routing-page.ts'
import type { MetricsJson } from './merge-metrics.ts'

/** What a worker reports about itself, every second and on request. */
export interface WorkerState {
  accounts: Accounts
  resumed: Resumed
  readiness: Readiness
  quiet: readonly QuietState[]
  routing: RoutingPage
  metrics: MetricsJson
}

/** Messages with an `id` are answered by a `Reply` with the same one. */
export type ToWorker =
  /** `quiet`, `coverage`: the last state of the predecessor. */
  | {
      kind: 'start'
      config: MirrorConfig
      number: number
      quiet: readonly QuietState[]
      coverage: readonly CoverageReport[]
    }
  | { kind: 'report'; id: number }
  /** Prepare a config beside the one in force, then apply or discard it; one may also be applied unprepared. */
  | { kind: 'prepare'; id: number; config: MirrorConfig }
  | { kind: 'apply'; id: number; config: MirrorConfig }
  | { kind: 'discard'; id: number }
  /** Carries a client's connection, which may be lost on the way together with the message. */
  | { kind: 'connection' }
  /** Follows each connection. */
  | { kind: 'confirm' }
  | { kind: 'stop' }

export interface Reply {
  kind: 'reply'
  id: number
  /** Why it failed. */
  problem?: string
}

export type FromWorker =
  /** The process listens to messages now. */
  | { kind: 'hello' }
  /** The worker serves. */
  | { kind: 'up'; resumed: Resumed }
  /** Whether the connection arrived and now belongs to the worker. */
  | { kind: 'confirmed'; hasArrived: boolean }
  | { kind: 'startFailed'; problem: string }
  | { kind: 'accounts'; accounts: Accounts; resumed: Resumed; coverage: readonly CoverageReport[] }
  | { kind: 'state'; state: WorkerState }
  | Reply
