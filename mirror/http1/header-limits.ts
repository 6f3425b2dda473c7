import type { Bytes } from '../../vocabulary/units.ts'

/** Of one message's headers together, requests and responses alike; beyond it a request is a 431, a response a 502. */
export const headerBytesMax: Bytes = 64 * 1024

/**
 * Of all 1xx before one answer. They are passed on at once, however slowly the client reads, and each ends the upstream's
 * silence: without a limit they could go on until there is no memory left.
 */
export const interimBytesMax: Bytes = headerBytesMax
