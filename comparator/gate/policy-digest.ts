import { createHash } from 'node:crypto'
import { canonicalJson } from '../../vocabulary/json/canonical-json.ts'
import type { Policy } from '../../vocabulary/policy.ts'

/** SHA-256, in hex, of the policy's JSON with sorted keys, so that the order of keys in a file does not matter. */
export function digestPolicy(policy: Policy): string {
  return createHash('sha256').update(canonicalJson(policy)).digest('hex')
}
