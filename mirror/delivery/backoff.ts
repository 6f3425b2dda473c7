import type { Milliseconds } from '../../vocabulary/units.ts'

const firstMs = 100
const lastMs = 5000

/** Exponential, with full jitter above half, so that many mirrors do not come back at once. */
export class Backoff {
  readonly #random: () => number
  #attempts = 0

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  reset(): void {
    this.#attempts = 0
  }

  nextMs(): Milliseconds {
    const ceiling = Math.min(lastMs, firstMs * 2 ** this.#attempts++)
    return ceiling * (0.5 + this.#random() / 2)
  }
}

/** Resolves early when `signal` aborts; never rejects. */
export function pause(ms: Milliseconds, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
