import { sql } from 'kysely'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { Db } from '../database/open-database.ts'
import { listValidations } from '../promotion/validations.ts'
import { dayOf } from './day-of-id.ts'
import type { Member } from './examples.ts'
import { dropPartitionsBefore } from './partitions.ts'

const deletedPerStatementMax = 10_000

/**
 * Deletes observations and labels from before the cut; rollups stay. Days are dropped as a whole. Labels, and
 * observations older than their partition's day (delivered late, without a time in the id, or from before partitioning),
 * are deleted in steps, so that no lock is held for long, nor the process of an embedded database blocked, however many
 * expired while nothing ran.
 */
export async function deleteObservationsBefore(db: Db, before: EpochMs): Promise<void> {
  await dropPartitionsBefore(db, 'observation', dayOf(before))
  for (const { name } of await listValidations(db)) await deleteStragglers(db, name, before)
  await deleteLabels(db, new Date(before))
}

async function deleteLabels(db: Db, before: Date): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from label where received_at < ${before} and (validation, correlation_id) in (
        select validation, correlation_id from label where received_at < ${before}
        order by received_at limit ${deletedPerStatementMax})
    `.execute(db)
    if (Number(numAffectedRows) < deletedPerStatementMax) return
  }
}

/** In two statements, so that the second reads only the days of those found: a join would read all days. */
async function deleteStragglers(db: Db, validation: string, before: EpochMs): Promise<void> {
  for (;;) {
    const { rows } = await sql<Member>`
      select id, day from observation where validation = ${validation} and at < ${new Date(before)}
      order by at desc limit ${deletedPerStatementMax}
    `.execute(db)
    if (rows.length === 0) return
    const days = [...new Set(rows.map(({ day }) => day))]
    await sql`
      delete from observation where id = any(${rows.map(({ id }) => id)}::uuid[]) and day = any(${days}::date[])
    `.execute(db)
    if (rows.length < deletedPerStatementMax) return
  }
}
