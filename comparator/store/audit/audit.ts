import { sql } from 'kysely'
import type { AuditEntry } from '../../../vocabulary/api/audit.ts'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'
import type { AuditRow } from '../database/tables.ts'
import { firstPrevHash, hashOfEntry } from './audit-chain.ts'

/**
 * Appends an entry to the chain. A lock that is held until the transaction ends admits one writer at a time over all
 * comparators. Call this last, after all other locks are taken.
 */
export async function appendAudit(
  tx: Tx,
  entry: Omit<AuditEntry, 'id' | 'at' | 'prevHash' | 'hash'> & { at: Date },
): Promise<AuditEntry> {
  await sql`select pg_advisory_xact_lock(hashtextextended('understudy:audit', 0))`.execute(tx)
  const last = await tx.selectFrom('audit').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst()
  const prevHash = last?.hash ?? firstPrevHash
  const json = toJson(entry.details)
  // hashed in the form that will be read back
  const stored = { ...entry, at: entry.at.toISOString(), details: JSON.parse(json) as AuditEntry['details'], prevHash }
  const hash = hashOfEntry(stored)
  const { id } = await tx
    .insertInto('audit')
    .values({ ...entry, details: sql`${json}::jsonb`, prev_hash: prevHash, hash })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...stored, id, hash }
}

/** A filter by validation, by person, or both. */
interface Only {
  validation?: string | undefined
  actor?: string | undefined
}

/** Entries with ids below `before`, newest first. */
export async function listAudit(db: Db, limit: number, before?: number, only: Only = {}): Promise<AuditEntry[]> {
  const rows = await entriesOf(db, only)
    .where('id', '<', before ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(viewEntry)
}

/** All people and validations that the entries name, sorted. */
export async function namesInAudit(db: Db): Promise<{ actors: string[]; validations: string[] }> {
  const actors = await db.selectFrom('audit').select('actor').distinct().orderBy('actor').execute()
  const validations = await db
    .selectFrom('audit')
    .select('validation')
    .distinct()
    .where('validation', 'is not', null)
    .orderBy('validation')
    .execute()
  return {
    actors: actors.map(({ actor }) => actor),
    validations: validations.flatMap(({ validation }) => (validation === null ? [] : [validation])),
  }
}

/** Entries with ids above `after`, oldest first. */
export async function listAuditFrom(db: Db, limit: number, after: number, only: Only = {}): Promise<AuditEntry[]> {
  const rows = await entriesOf(db, only).where('id', '>', after).orderBy('id').limit(limit).execute()
  return rows.map(viewEntry)
}

const entriesOf = (db: Db, { validation, actor }: Only) =>
  db
    .selectFrom('audit')
    .selectAll()
    .$if(validation !== undefined, (query) => query.where('validation', '=', validation!))
    .$if(actor !== undefined, (query) => query.where('actor', '=', actor!))

/** All entries about a promotion, oldest first. */
export function auditOfPromotion(db: Db, promotionId: string): Promise<AuditEntry[]> {
  return auditOfPromotions(db, [promotionId])
}

/** The same for several promotions. */
export async function auditOfPromotions(db: Db, promotionIds: readonly string[]): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where(sql<string>`details ->> 'promotion'`, 'in', promotionIds)
    .orderBy('id')
    .execute()
  return rows.map(viewEntry)
}

function viewEntry({ at, prev_hash, ...row }: AuditRow): AuditEntry {
  return { ...row, at: at.toISOString(), prevHash: prev_hash }
}
