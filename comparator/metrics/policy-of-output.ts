import type { Policy } from '../../vocabulary/policy.ts'

const policiesByPolicy = new WeakMap<Policy, Map<string, Policy>>()

/** The policy with a further output as its main one; always the same object for the same policy. */
export function policyOfOutput(policy: Policy, output: string): Policy {
  if (output === '') return policy
  const known = policiesByPolicy.getOrInsertComputed(policy, () => new Map())
  return known.getOrInsertComputed(output, () => {
    const { outputs, slices, ...rest } = policy
    return { ...rest, output: outputs![output]! }
  })
}
