import type { Bytes } from '../../vocabulary/units.ts'

/** Limit for all headers of one message. A request beyond it is answered 431; a response, 502. */
export const headerBytesMax: Bytes = 64 * 1024

/**
 * Limit for all 1xx before one answer. They are passed on at once however slowly the client reads, and each resets the
 * upstream's silence: without a limit they could exhaust memory.
 */
export const interimBytesMax: Bytes = headerBytesMax
