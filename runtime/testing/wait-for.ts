import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Milliseconds } from '../../vocabulary/units.ts'

/** Ends only what waits for ever, before Vitest does and says nothing of it. */
export const waitMsMax: Milliseconds = 120_000

/**
 * Polls until a condition holds of what `read` returns, by default that it is truthy; null and undefined never satisfy
 * one. Throws once `deadlineMs` has passed, with `what` it waited for and the value it saw last.
 */
export async function waitFor<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  holds: (value: NonNullable<Value>) => boolean = Boolean,
  deadlineMs: Milliseconds = waitMsMax,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const value = await read()
    if (value != null && holds(value)) return value
    if (performance.now() > deadline) throw new Error(`still waiting for ${what}; last seen: ${inspect(value)}`)
    await sleep(10)
  }
}
