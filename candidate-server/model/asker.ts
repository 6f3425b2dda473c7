/** Who waits for an answer. One that leaves takes its request out of the queue. */
export class Asker {
  #isGone = false
  /** Called once when it leaves; set by whoever has its request. */
  whenGone: (() => void) | undefined

  get isGone(): boolean {
    return this.#isGone
  }

  leave(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.whenGone?.()
  }
}
