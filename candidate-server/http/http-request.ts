import type { IncomingHttpHeaders } from 'node:http'
import type { WaitingClient } from '../model/waiting-client.ts'
import type { BodyHold } from './body-budget.ts'

/** A request, whether Node's HTTP server or `quick-connection.ts` read it. */
export interface HttpRequest {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  /** The whole body, decompressed. Throws as soon as a limit is exceeded. */
  readBody(): Buffer | Promise<Buffer>
  client: WaitingClient
  /** The request's share of the memory budget. */
  hold: Pick<BodyHold, 'add' | 'takeTensors'>
}
