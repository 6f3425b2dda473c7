import { sql } from 'kysely'
import type { Policy } from '../../vocabulary/policy.ts'
import { toJson } from './json.ts'
import type { Db } from './open-database.ts'

/** Stores the configured validations. Existing ones keep their state and evidence. */
export async function syncValidations(db: Db, validations: { name: string; policy: Policy; digest: string }[]) {
  for (const { name, policy, digest } of validations) {
    await sql`
      insert into validation (name, policy, policy_digest) values (${name}, ${toJson(policy)}::jsonb, ${digest})
      on conflict (name) do update set policy = excluded.policy, policy_digest = excluded.policy_digest
    `.execute(db)
  }
}
