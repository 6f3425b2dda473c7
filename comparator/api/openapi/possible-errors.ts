import type { FastifyContextConfig, FastifySchema } from 'fastify'
import { type ErrorCode, errorCatalogue } from '../../jobs/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors of this route beside those that follow from its role, parameters and body. */
    errors?: ErrorCode[]
  }
}

export interface Operation {
  schema: FastifySchema
  method: string | string[]
  config: FastifyContextConfig
}

const ofRole: ErrorCode[] = ['UNAUTHENTICATED', 'FORBIDDEN', 'TOO_MANY_FAILURES', 'INTERNAL', 'UNAVAILABLE']
const ofBody: ErrorCode[] = ['BAD_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/** All error codes that an operation can answer with, in the catalogue's order. */
export function possibleErrors({ schema, method, config: { role, errors = [] } }: Operation): ErrorCode[] {
  const writes = !/^(GET|HEAD)\b/.test(String(method))
  const possible: ErrorCode[] = [
    ...errors,
    ...(role ? ofRole : []),
    ...(writes ? ofBody : []),
    // ingest routes do not accept session cookies
    ...(writes && role && role !== 'ingest' ? ['CSRF_MISMATCH' as const] : []),
    ...(schema.querystring ? ['BAD_REQUEST' as const] : []),
    ...(schema.params ? ['BAD_REQUEST' as const, 'NOT_FOUND' as const] : []),
  ]
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => possible.includes(code))
}
