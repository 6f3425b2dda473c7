import { createHash } from 'node:crypto'
import { canonicalJson } from '../../vocabulary/canonical-json.ts'
import type { Policy } from '../../vocabulary/policy.ts'

/** SHA-256, in hex, of the policy's JSON with sorted keys: the order in which a file spells it changes nothing. */
export function digestPolicy(policy: Policy): string {
  return createHash('sha256').update(canonicalJson(policy)).digest('hex')
}
