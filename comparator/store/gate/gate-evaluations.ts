import { type Selectable, sql } from 'kysely'
import type { Verdict } from '../../../vocabulary/verdict.ts'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'
import type { Tables } from '../database/tables.ts'

export type EvaluationRow = Selectable<Tables['gate_evaluation']>

export async function insertEvaluation(db: Db | Tx, row: EvaluationRow): Promise<void> {
  await db
    .insertInto('gate_evaluation')
    .values({ ...row, checks: sql`${toJson(row.checks)}::jsonb`, evidence: sql`${toJson(row.evidence)}::jsonb` })
    .execute()
}

export async function findEvaluation(db: Db | Tx, id: string): Promise<EvaluationRow | undefined> {
  return db.selectFrom('gate_evaluation').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The same, locked against deletion until the transaction ends. */
export async function holdEvaluation(tx: Tx, id: string): Promise<EvaluationRow | undefined> {
  return tx.selectFrom('gate_evaluation').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst()
}

export async function evaluationsById(db: Db, ids: readonly string[]): Promise<Map<string, EvaluationRow>> {
  const rows = await db
    .selectFrom('gate_evaluation')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function newestEvaluation(db: Db | Tx, validation: string): Promise<EvaluationRow | undefined> {
  return db
    .selectFrom('gate_evaluation')
    .selectAll()
    .where('validation', '=', validation)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The newest verdict of each of these validations that has an evaluation. */
export async function newestVerdicts(db: Db, validations: readonly string[]): Promise<Map<string, Verdict>> {
  const { rows } = await sql<{ validation: string; verdict: Verdict }>`
    select asked.validation, newest.verdict from unnest(${validations}::text[]) as asked (validation)
    cross join lateral (
      select verdict from gate_evaluation where validation = asked.validation order by at desc, id desc limit 1
    ) as newest`.execute(db)
  return new Map(rows.map(({ validation, verdict }) => [validation, verdict]))
}

/** Admits one writer of a validation's evaluations at a time, until the transaction ends. */
export async function lockEvaluations(tx: Tx, validation: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`understudy-gate:${validation}`}, 0))`.execute(tx)
}

/** Newest first. */
export async function listEvaluations(
  db: Db,
  query: { validation: string; since: Date; limit: number },
): Promise<EvaluationRow[]> {
  return db
    .selectFrom('gate_evaluation')
    .selectAll()
    .where('validation', '=', query.validation)
    .where('at', '>=', query.since)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit)
    .execute()
}

/**
 * Deletes evaluations from before `before`, except each validation's newest, those that a promotion or an approval
 * refers to, those with a kept input, and those that a transaction holds right now.
 */
export async function deleteEvaluationsBefore(db: Db, before: Date): Promise<void> {
  await sql`
    delete from gate_evaluation where id in (
      select e.id from gate_evaluation e where e.at < ${before}
        and not exists (select from promotion p where p.gate_id = e.id)
        and not exists (select from approval a where a.gate_id = e.id)
        and not exists (select from gate_input i where i.evaluation_id = e.id)
        and exists (select from gate_evaluation n where n.validation = e.validation and n.at > e.at)
      for update skip locked)
  `.execute(db)
}
