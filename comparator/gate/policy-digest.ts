import { createHash } from 'node:crypto'
import type { Policy } from '../../vocabulary/policy.ts'

/** SHA-256, in hex, of the policy's JSON with sorted keys: the order in which a file spells it changes nothing. */
export function digestPolicy(policy: Policy): string {
  return createHash('sha256').update(canonicalJson(policy)).digest('hex')
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
}
