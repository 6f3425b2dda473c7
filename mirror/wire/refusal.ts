import { field, headText } from '../http1/fields.ts'
import type { MalformedMessage } from '../http1/parse-fields.ts'

type RefusalStatus = MalformedMessage['status'] | 408

const reasons: Record<RefusalStatus, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
  505: 'HTTP Version Not Supported',
}

export const refusalStatuses = Object.keys(reasons).map(Number) as RefusalStatus[]

export const refusalCode = (status: RefusalStatus) => reasons[status].toUpperCase().replaceAll(' ', '_')

/** Why a client's bytes reach no upstream: they are not a request, or arrived too slowly. */
export interface Refusal {
  status: RefusalStatus
  message: string
}

export const tooSlow: Refusal = { status: 408, message: reasons[408] }

/** The whole answer, in Latin-1; the connection must end after it. */
export function refusalText({ status, message }: Refusal): string {
  const body = JSON.stringify({ code: refusalCode(status), message })
  const fields = [
    field('Content-Type', 'application/json'),
    field('Content-Length', String(body.length)),
    field('Connection', 'close'),
  ]
  return headText(`HTTP/1.1 ${status} ${reasons[status]}`, fields) + body
}
