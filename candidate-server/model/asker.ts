/** Who waits for an answer. One that leaves takes its request out of the queue. */
export class Asker {
  #isGone = false
  #letGo: (() => void) | undefined
  /** Called once when it leaves; set by whoever has its request. */
  whenGone: (() => void) | undefined

  get isGone(): boolean {
    return this.#isGone
  }

  /** `letGo` is called once it has its answer or leaves, maybe at both, and at once where it has left. */
  holdUntilOver(letGo: () => void): void {
    if (this.#isGone) letGo()
    else this.#letGo = letGo
  }

  /** Its answer has been written. */
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
