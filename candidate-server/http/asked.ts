import type { IncomingHttpHeaders } from 'node:http'
import type { Asker } from '../model/asker.ts'

/** A request, whoever has read it. */
export interface Asked {
  method: string
  /** With the query. */
  url: string
  headers: IncomingHttpHeaders
  /** The whole body, decompressed. Throws as soon as it is over a limit. */
  readBody(): Buffer | Promise<Buffer>
  asker: Asker
}
