import { createHash } from 'node:crypto'
import type { AuditEntry } from '../../vocabulary/audit.ts'
import { canonicalJson } from '../../vocabulary/canonical-json.ts'

/** What stands for "the entry before" in the first one. */
export const firstPrevHash = '0'.repeat(64)

/**
 * SHA-256, in hex, of an entry's JSON with sorted keys and without spaces, over `at` (ISO 8601 with milliseconds, UTC),
 * `actor`, `role`, `action`, `validation`, `details` and `prevHash`. Anyone can recompute it from what the API answers.
 */
export function hashOfEntry({
  at,
  actor,
  role,
  action,
  validation,
  details,
  prevHash,
}: Omit<AuditEntry, 'id' | 'hash'>) {
  const content = { at, actor, role, action, validation, details, prevHash }
  return createHash('sha256').update(canonicalJson(content)).digest('hex')
}

/** A place where the chain does not hold. */
export interface BrokenLink {
  id: number
  problem: string
}

/**
 * Follows a chain from its first entry on, in any number of pieces. An entry that was altered has another hash than it
 * says; one that was taken out or put in leaves its neighbours unlinked. Entries cut off the end leave no trace in the
 * rest: hold `head` against one that was noted elsewhere, such as in a webhook or a dossier.
 */
export class ChainCheck {
  #count = 0
  #head = firstPrevHash
  #lastId = 0
  readonly #sought: string | undefined
  #wasFound = false

  /** `sought`: a hash that was noted earlier and must still be in the chain. */
  constructor(sought?: string) {
    this.#sought = sought
  }

  get count(): number {
    return this.#count
  }

  get head(): string {
    return this.#head
  }

  add(entry: AuditEntry): BrokenLink | undefined {
    const { id, prevHash, hash } = entry
    if (id <= this.#lastId) return { id, problem: `its id does not follow ${this.#lastId}` }
    if (prevHash !== this.#head) {
      const before = this.#count === 0 ? 'the beginning' : `entry ${this.#lastId}`
      return { id, problem: `it does not follow ${before}: expected prevHash ${this.#head}, got ${prevHash}` }
    }
    const expected = hashOfEntry(entry)
    if (hash !== expected) return { id, problem: `it was altered: its hash is ${hash}, its content's is ${expected}` }
    this.#count++
    this.#head = hash
    this.#lastId = id
    this.#wasFound ||= hash === this.#sought
    return undefined
  }

  /** Once all entries are in: what is missing at the end. */
  end(): BrokenLink | undefined {
    if (this.#sought === undefined || this.#wasFound) return undefined
    return {
      id: this.#lastId,
      problem: `no entry has the hash ${this.#sought}: the end was cut off, or another chain put here`,
    }
  }
}
