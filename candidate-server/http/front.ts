import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { Adapter, AdapterModel } from '../adapter/adapter.ts'
import { Holds } from '../model/holds.ts'
import type { ServedModel } from '../model/served-model.ts'
import type { ProtocolName } from '../protocol/error-body.ts'
import { BodyBudget } from './body-budget.ts'
import { OffThread } from './off-thread.ts'

export interface ServedAdapter {
  served: ServedModel
  adapter: Adapter
  model: AdapterModel
}

interface FrontOptions {
  models: ReadonlyMap<string, ServedAdapter>
  /** The models' own paths, to the model's name. */
  adapterPaths: ReadonlyMap<string, string>
  limits: { bodyMax: Bytes; bodyTimeout: Milliseconds; bodiesMax: Bytes }
  version: string
  isReady: () => boolean
  /** From when on each answer is its connection's last, so that the client asks another server. */
  isStopping: () => boolean
  plan: () => unknown
  metrics: () => Promise<string>
  /** A request is over that held so much in memory. */
  onRelease: (bytes: Bytes) => void
  onReply: (protocol: ProtocolName, model: string | undefined, status: number) => void
  clock: Clock
  logger: Logger
}

/** What all requests share. */
export interface Front extends FrontOptions {
  bodies: BodyBudget
  offThread: OffThread
  /** By each request that has come whole, until its answer is written or its client has left. */
  underWay: Holds
}

export function createFront(options: FrontOptions): Front {
  // the limits may be replaced while the server runs
  const bodies = new BodyBudget(() => front.limits.bodiesMax, options.onRelease)
  const front: Front = { ...options, bodies, offThread: new OffThread(), underWay: new Holds() }
  return front
}
