import type { Logger } from '../../runtime/logger.ts'
import type { Bytes } from '../../vocabulary/units.ts'

/**
 * Bodies that one exchange may hold: a request and two answers, each again in the observation, a third longer in
 * base64, and the heads. A large request with small answers needs three; decoded bodies come on top.
 */
const bodiesHeld = 8

/**
 * Warns if a worker's share of `memoryMax` is too small for one exchange whose bodies are all of `bodyMax`: every such
 * exchange is shed, however idle the mirror. Smaller ones are still compared, so the config is not refused.
 */
export function warnOfNarrowMemory(capture: { bodyMax: Bytes; memoryMax: Bytes }, logger: Logger): void {
  const { bodyMax, memoryMax } = capture
  const needed = bodiesHeld * bodyMax
  if (memoryMax >= needed) return
  logger.warn(
    { bodyMax, memoryMax, needed },
    "exchanges with bodies of capture.bodyMax are shed: a worker's share of capture.memoryMax has no room for one",
  )
}
