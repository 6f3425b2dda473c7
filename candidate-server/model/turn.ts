import type { Milliseconds } from '../../vocabulary/units.ts'
import type { WaitingClient } from './waiting-client.ts'

/** How a request waits for shared resources. */
export interface Turn {
  /** A mirrored request, which all others precede. */
  shadow: boolean
  /** If it leaves, the request need not be served. */
  client: WaitingClient
  /** How long it may wait before it starts. */
  waitMsMax: Milliseconds
}
