import { sql } from 'kysely'
import type { Policy } from '../../../vocabulary/policy.ts'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'

export interface ValidationPolicy {
  name: string
  policy: Policy
  digest: string
}

/** Stores the validations that are new. Existing ones keep their state, their evidence and the policy in force. */
export async function addValidations(db: Db, validations: readonly ValidationPolicy[]): Promise<void> {
  for (const { name, policy, digest } of validations) {
    await sql`
      insert into validation (name, policy, policy_digest) values (${name}, ${toJson(policy)}::jsonb, ${digest})
      on conflict (name) do nothing
    `.execute(db)
  }
}

/** The database's time, as the clocks of two comparators may differ. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]!.now
}

/** What a comparator learns when it renews. */
interface RenewedPolicy {
  name: string
  isInForce: boolean
  /** When the policy in force was last renewed, by the database's clock, in all its digits. */
  renewedAt: string
}

/**
 * Renews the policies of a comparator that started at `since` by the database's time, or brings them into force where
 * the policy in force is of a comparator that started earlier, or was last renewed at `lapsed`.
 */
export async function renewPolicies(
  db: Db,
  validations: readonly (ValidationPolicy & { lapsed: string | null })[],
  since: Date,
): Promise<RenewedPolicy[]> {
  const policies = validations.map(({ name, policy, digest, lapsed }) => ({ name, policy, digest, lapsed }))
  // locked in the order of names, so that two comparators cannot deadlock
  const { rows } = await sql<RenewedPolicy>`
    with known as (
      select v.name, v.policy_digest = own.digest as is_same, own.policy, own.digest, v.policy_renewed_at,
        v.policy_since is null or v.policy_since < ${since}::timestamptz
          or extract(epoch from v.policy_renewed_at)::text = own.lapsed as is_over
      from jsonb_to_recordset(${toJson(policies)}::jsonb) as own (name text, digest text, policy jsonb, lapsed text)
      join validation v on v.name = own.name
      order by v.name for no key update of v),
    renewed as (
      update validation v set policy = known.policy, policy_digest = known.digest, policy_renewed_at = now(),
        policy_since = case when is_same then greatest(v.policy_since, ${since}::timestamptz)
          else ${since}::timestamptz end
      from known where v.name = known.name and (is_same or is_over)
      returning v.name, v.policy_renewed_at)
    select known.name, renewed.name is not null as "isInForce",
      extract(epoch from coalesce(renewed.policy_renewed_at, known.policy_renewed_at))::text as "renewedAt"
    from known left join renewed on renewed.name = known.name
  `.execute(db)
  return rows
}

/** The digest of the policy by which a validation is judged. */
export async function digestInForce(db: Db | Tx, name: string): Promise<string> {
  const row = db.selectFrom('validation').select('policy_digest').where('name', '=', name)
  return (await row.executeTakeFirstOrThrow()).policy_digest
}
