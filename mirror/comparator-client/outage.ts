/** Of reasons that never repeat, such as a proxy's pages with an id in each. */
const reasonsMax = 10

/**
 * Why the comparator cannot be used, for the log: each reason once, because the first may not be the one that lasts. A
 * mirror that starts before the comparator is refused a connection, and only then told that its token is unknown.
 */
export class Outage {
  readonly #reasons = new Set<string>()

  get isUnderWay(): boolean {
    return this.#reasons.size > 0
  }

  /** Returns whether the reason is new to this outage. */
  add(reason: string): boolean {
    if (this.#reasons.has(reason) || this.#reasons.size >= reasonsMax) return false
    this.#reasons.add(reason)
    return true
  }

  /** Returns whether there was one. */
  end(): boolean {
    const { isUnderWay } = this
    this.#reasons.clear()
    return isUnderWay
  }
}
