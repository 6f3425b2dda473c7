import { sql } from 'kysely'
import type { Policy } from '../../vocabulary/policy.ts'
import { toJson } from './json.ts'
import type { Db } from './open-database.ts'

/** Makes the configured validations known. State and evidence of one that was there before stay. */
export async function syncValidations(db: Db, validations: { name: string; policy: Policy; digest: string }[]) {
  for (const { name, policy, digest } of validations) {
    await sql`
      insert into validation (name, policy, policy_digest) values (${name}, ${toJson(policy)}::jsonb, ${digest})
      on conflict (name) do update set policy = excluded.policy, policy_digest = excluded.policy_digest
    `.execute(db)
  }
}
