import type { Bytes } from '../../vocabulary/units.ts'
import { BodyCapture } from './body-capture.ts'
import type { ByteBudget } from './byte-budget.ts'

/** The bodies that one exchange holds in memory until it is over. Bodies added after that are released at once. */
export class HeldBodies {
  readonly #budget: ByteBudget
  /** Limit for each body. */
  readonly #bytesMax: Bytes
  readonly #bodies: BodyCapture[] = []
  #isReleased = false

  constructor(budget: ByteBudget, bytesMax: Bytes) {
    this.#budget = budget
    this.#bytesMax = bytesMax
  }

  get isReleased(): boolean {
    return this.#isReleased
  }

  /** A capture for a stream of this exchange. */
  capture(): BodyCapture {
    const body = new BodyCapture(this.#budget, this.#bytesMax)
    this.keep(body)
    return body
  }

  /** Takes over a body that was captured elsewhere. */
  keep(body: BodyCapture): void {
    if (this.#isReleased) body.release()
    else this.#bodies.push(body)
  }

  /** Holds a decoded body; false if there is no room for it. */
  hold(decoded: Buffer): boolean {
    const body = this.capture()
    body.add(decoded)
    return body.lost === undefined
  }

  /** Must be called once. */
  release(): void {
    this.#isReleased = true
    for (const body of this.#bodies) body.release()
  }
}
