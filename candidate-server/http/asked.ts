import type { IncomingHttpHeaders } from 'node:http'
import type { Asker } from '../model/asker.ts'
import type { BodyHold } from './body-budget.ts'

/** A request, whether Node's HTTP server or `quick-connection.ts` read it. */
export interface Asked {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  /** The whole body, decompressed. Throws as soon as a limit is exceeded. */
  readBody(): Buffer | Promise<Buffer>
  asker: Asker
  /** The request's share of the memory budget. */
  hold: Pick<BodyHold, 'add' | 'takeTensors'>
}
