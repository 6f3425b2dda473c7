import type { Bytes } from '../../vocabulary/units.ts'

/** Of one message's headers together, requests and responses alike; beyond it a request is a 431, a response a 502. */
export const headerBytesMax: Bytes = 64 * 1024
