import type { Milliseconds } from '../../vocabulary/units.ts'

const firstMs = 100
const lastMs = 5000

/** Exponential backoff with jitter over the upper half, so that many mirrors do not come back at once. */
export class Backoff {
  #attempts = 0

  reset(): void {
    this.#attempts = 0
  }

  nextMs(): Milliseconds {
    const ceiling = Math.min(lastMs, firstMs * 2 ** this.#attempts++)
    return ceiling * (0.5 + Math.random() / 2)
  }
}
