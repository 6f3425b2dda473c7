import type { Accounts, Readiness } from '../admin.ts'
import type { MirrorConfig } from '../config.ts'
import type { RoutingPage } from '../routing-page.ts'
import type { MetricsJson } from './merge-metrics.ts'

/** What a worker says of itself, every second and when asked. */
export interface WorkerState {
  accounts: Accounts
  readiness: Readiness
  routing: RoutingPage
  metrics: MetricsJson
}

/** `id`: to be answered with a `Reply` that has the same one. */
export type ToWorker =
  | { kind: 'start'; config: MirrorConfig; number: number }
  | { kind: 'tell'; id: number }
  /** Make a config ready beside the one in force, then put it in force or forget it. */
  | { kind: 'prepare'; id: number; config: MirrorConfig }
  | { kind: 'apply'; id: number }
  | { kind: 'discard'; id: number }
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
  /** It serves. `resumed`: by validation, what it found on disk. */
  | { kind: 'up'; url: string; resumed: Record<string, number> }
  | { kind: 'startFailed'; problem: string }
  | { kind: 'accounts'; accounts: Accounts }
  | { kind: 'state'; state: WorkerState }
  | Reply
