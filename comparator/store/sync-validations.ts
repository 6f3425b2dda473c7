import { sql } from 'kysely'
import type { Policy } from '../../vocabulary/policy.ts'
import { toJson } from './json.ts'
import type { Db } from './open-database.ts'

type Configured = readonly { name: string; policy: Policy; digest: string }[]

/** Makes those known that were not. What is there of the others stays, their policies too. */
export function addValidations(db: Db, validations: Configured): Promise<void> {
  return upsert(db, validations, sql`nothing`)
}

/** Makes all of them known, and puts these policies in force. State and evidence of one that was there before stay. */
export function syncValidations(db: Db, validations: Configured): Promise<void> {
  return upsert(db, validations, sql`update set policy = excluded.policy, policy_digest = excluded.policy_digest`)
}

async function upsert(db: Db, validations: Configured, otherwise: ReturnType<typeof sql>): Promise<void> {
  for (const { name, policy, digest } of validations) {
    await sql`
      insert into validation (name, policy, policy_digest) values (${name}, ${toJson(policy)}::jsonb, ${digest})
      on conflict (name) do ${otherwise}
    `.execute(db)
  }
}
