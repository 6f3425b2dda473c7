import { createHash } from 'node:crypto'
import type { AuditEntry } from '../../../vocabulary/api/audit.ts'
import { canonicalJson } from '../../../vocabulary/json/canonical-json.ts'

/** The `prevHash` of the first entry. */
export const firstPrevHash = '0'.repeat(64)

/**
 * SHA-256, in hex, of an entry's JSON with sorted keys and without spaces, over `at` (ISO 8601 with milliseconds, UTC),
 * `actor`, `role`, `action`, `validation`, `details` and `prevHash`. Anyone can recompute it from the API's answers.
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

/** The first entry at which the chain is broken. */
interface BrokenLink {
  id: number
  problem: string
}

/** A chain as far as it was followed: to its end, or to where it is broken. */
interface FollowedChain {
  /** Number of valid entries. */
  entries: number
  /** The hash of the last valid entry. */
  head: string
  broken: BrokenLink | null
}

/** Entries with ids above `after`, oldest first; fewer than `limit` mean that there are no more. */
export type ReadEntries = (after: number, limit: number) => Promise<AuditEntry[]>

const entriesPerReadMax = 500

/**
 * Follows a chain from its first entry. An altered entry no longer matches its hash; a removed or inserted one breaks
 * the link of its neighbours. Entries cut off the end leave no trace in the rest. To detect that, pass as `sought` a
 * hash noted elsewhere, such as in a webhook or a dossier: it must still be in the chain.
 */
export async function followChain(read: ReadEntries, sought?: string): Promise<FollowedChain> {
  let [entries, lastId, head, wasFound] = [0, 0, firstPrevHash, sought === undefined]
  for (;;) {
    const next = await read(lastId, entriesPerReadMax)
    for (const entry of next) {
      const problem = problemOf(entry, lastId, head)
      if (problem !== null) return { entries, head, broken: { id: entry.id, problem } }
      entries++
      lastId = entry.id
      head = entry.hash
      wasFound ||= head === sought
    }
    if (next.length === entriesPerReadMax) continue
    const problem = `no entry has the hash ${sought}: the end was cut off, or the chain was replaced`
    return { entries, head, broken: wasFound ? null : { id: lastId, problem } }
  }
}

/** Why an entry does not follow the one with this id and hash; `null` if it does. */
function problemOf(entry: AuditEntry, lastId: number, head: string): string | null {
  const { id, prevHash, hash } = entry
  if (id <= lastId) return `its id does not follow ${lastId}`
  if (prevHash !== head) {
    const before = lastId === 0 ? 'the beginning' : `entry ${lastId}`
    return `it does not follow ${before}: expected prevHash ${head}, got ${prevHash}`
  }
  const expected = hashOfEntry(entry)
  return hash === expected ? null : `it was altered: its hash is ${hash}, but its content hashes to ${expected}`
}
