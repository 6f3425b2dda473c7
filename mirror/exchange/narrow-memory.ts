import type { Logger } from '../../runtime/logger.ts'
import type { Bytes } from '../../vocabulary/units.ts'

/**
 * Of one exchange: a request and two answers, and each again in the observation, a third longer in base64; heads beside.
 * A large request with small answers needs three, and what packed bodies are decoded to comes on top.
 */
const bodiesHeld = 8

/**
 * Where a worker's share of `memoryMax` has no room for one exchange whose bodies are all of `bodyMax`, each such one is
 * shed, however idle the mirror is. Smaller ones are compared, so that it is nothing to refuse.
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
