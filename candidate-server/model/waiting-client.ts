/** The client that waits for an answer. When it leaves, its request is taken out of the queue. */
export class WaitingClient {
  #isGone = false
  #letGo: (() => void) | undefined
  /** Called once when the client leaves; set by whichever stage holds the request. */
  whenGone: (() => void) | undefined

  get isGone(): boolean {
    return this.#isGone
  }

  /** Calls `letGo` when the client has its answer or leaves (perhaps both), or at once if it has already left. */
  holdUntilOver(letGo: () => void): void {
    if (this.#isGone) letGo()
    else this.#letGo = letGo
  }

  /** Call when the answer has been written. */
  served(): void {
    this.#letGo?.()
  }

  leave(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.whenGone?.()
    this.#letGo?.()
  }
}
