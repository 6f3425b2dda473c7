import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { type ComparatorConfig, policyOf, type ValidationConfig } from '../config.ts'
import { digestPolicy } from '../gate/policy-digest.ts'
import { bucketWidth } from '../metrics/rollup-range.ts'
import type { Db } from '../store/database/open-database.ts'
import type { WindowRow } from '../store/database/tables.ts'
import type { Arrivals } from './arrivals.ts'
import type { PoliciesInForce } from './policies-in-force.ts'
import type { Webhooks } from './webhooks.ts'

/** A configured validation with its policy and what derives from it. */
export interface KnownValidation {
  name: string
  config: ValidationConfig
  policy: Policy
  digest: string
  /** Width of the gate's buckets. */
  bucketMs: Milliseconds
}

/** What every job works with. */
export interface Comparator {
  db: Db
  clock: Clock
  logger: Logger
  validations: ReadonlyMap<string, KnownValidation>
  policies: PoliciesInForce
  retention: ComparatorConfig['retention']
  arrivals: Arrivals
  webhooks: Webhooks
  /** Called after a change of routing has been committed. */
  routingChanged: () => void
}

export function knownValidation(config: ValidationConfig): KnownValidation {
  const policy = policyOf(config)
  return {
    name: config.name,
    config,
    policy,
    digest: digestPolicy(policy),
    bucketMs: bucketWidth(policy.window.duration),
  }
}

/** By name. */
export function knownValidations(configs: readonly ValidationConfig[]): Map<string, KnownValidation> {
  return new Map(configs.map((config) => [config.name, knownValidation(config)]))
}

/** The validation with the policy that a past window was judged under. */
export function underWindow(validation: KnownValidation, window: WindowRow): KnownValidation {
  return { ...validation, policy: window.policy, digest: window.policy_digest, bucketMs: window.bucket_ms }
}
