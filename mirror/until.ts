import type { Milliseconds } from '../vocabulary/units.ts'

/** Resolves once `condition` holds, or `deadlineMs` has passed. */
export async function until(condition: () => boolean, deadlineMs: Milliseconds): Promise<void> {
  const deadlineAt = performance.now() + deadlineMs
  while (!condition() && performance.now() < deadlineAt) await new Promise((resolve) => setTimeout(resolve, 10))
}
