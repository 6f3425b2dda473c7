import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { AdapterModel } from '../adapter/adapter.ts'
import type { IsolatedAdapter } from '../adapter/worker/isolated-adapter.ts'
import { Holds } from '../model/holds.ts'
import type { ServedModel } from '../model/served-model.ts'
import type { ProtocolName } from '../protocol/error-body.ts'
import { BodyBudget } from './body-budget.ts'
import { OffThread } from './off-thread.ts'

export interface ServedAdapter {
  served: ServedModel
  /** `undefined` for `tensor`. */
  adapter: IsolatedAdapter | undefined
  model: AdapterModel
}

interface FrontOptions {
  models: ReadonlyMap<string, ServedAdapter>
  /** Path to model name, for models with `paths` of their own. */
  adapterPaths: ReadonlyMap<string, string>
  limits: { bodyMax: Bytes; bodyTimeout: Milliseconds; bodiesMax: Bytes }
  version: string
  isReady: () => boolean
  /** While true, every answer closes its connection, so that the client moves to another server. */
  isStopping: () => boolean
  plan: () => unknown
  metrics: () => Promise<string>
  /** Called when a request ends, with the memory it held. */
  onRelease: (bytes: Bytes) => void
  onReply: (protocol: ProtocolName, model: string | undefined, status: number) => void
  clock: Clock
  logger: Logger
}

/** State shared by all requests. */
export interface Front extends FrontOptions {
  bodies: BodyBudget
  offThread: OffThread
  /** One hold per fully received request, until its answer is written or its client leaves. */
  underWay: Holds
}

export function createFront(options: FrontOptions): Front {
  // a reload may replace the limits, so they are read on each use
  const bodies = new BodyBudget(() => front.limits.bodiesMax, options.onRelease)
  const front: Front = { ...options, bodies, offThread: new OffThread(), underWay: new Holds() }
  return front
}
