import type { IncomingHttpHeaders } from 'node:http'
import type { Asker } from '../model/asker.ts'
import type { BodyHold } from './body-budget.ts'

/** A request, whoever has read it. */
export interface Asked {
  method: string
  /** With the query. */
  url: string
  headers: IncomingHttpHeaders
  /** The whole body, decompressed. Throws as soon as it is over a limit. */
  readBody(): Buffer | Promise<Buffer>
  asker: Asker
  /** What it holds in memory. */
  hold: Pick<BodyHold, 'add' | 'takeTensors'>
}
