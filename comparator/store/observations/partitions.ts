import { sql } from 'kysely'
import { inTransaction } from '../database/in-transaction.ts'
import type { Db } from '../database/open-database.ts'
import { undated } from './day-of-id.ts'

/**
 * Tables with a partition per UTC day and one for `undated`. A default partition would prevent concurrent detaching.
 */
type PartitionedTable = 'observation' | 'observation_body'

/** Partitions that this process knows to exist; call `forgetPartitions` where that proves wrong. */
const seen = new WeakMap<Db, Set<string>>()

/** Creates missing partitions of these days (`YYYY-MM-DD`) without blocking traffic. */
export async function ensurePartitions(db: Db, table: PartitionedTable, days: Iterable<string>): Promise<void> {
  const known = seen.getOrInsertComputed(db, () => new Set())
  const wanted = [...new Set(days)].filter((day) => day !== undated && !known.has(partitionOf(table, day))).sort()
  if (wanted.length === 0) return
  await inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('understudy:partitions', 0))`.execute(tx)
    for (const day of wanted) {
      const name = partitionOf(table, day)
      const { rows } = await sql<{ there: boolean }>`select to_regclass(${name}) is not null as there`.execute(tx)
      if (rows[0]!.there) continue
      // created first and then attached: `create … partition of` would wait for and block all readers and writers
      await sql`create table ${sql.table(name)} (like ${sql.table(table)})`.execute(tx)
      await sql`
        alter table ${sql.table(table)} attach partition ${sql.table(name)} for values in (${sql.lit(day)})
      `.execute(tx)
    }
  })
  for (const day of wanted) known.add(partitionOf(table, day))
}

export function forgetPartitions(db: Db): void {
  seen.delete(db)
}

interface Partition {
  name: string
  attached: boolean
  pending: boolean
}

/**
 * Drops the partitions of the days before `day`, and returns their names. They are detached concurrently first, since a
 * drop would wait for every open read and block all writers behind it. A drop that a crash interrupted is finished.
 */
export async function dropPartitionsBefore(db: Db, table: PartitionedTable, day: string): Promise<string[]> {
  const dropped: string[] = []
  const isOld = ({ name }: Partition) => name < partitionOf(table, day)
  for (const partition of (await dayPartitions(db, table)).filter(isOld)) {
    try {
      await dropPartition(db, table, partition)
      dropped.push(partition.name)
    } catch (error) {
      // fine if another comparator dropped it meanwhile
      if ((await dayPartitions(db, table)).some(({ name }) => name === partition.name)) throw error
    }
  }
  return dropped
}

async function dropPartition(db: Db, table: PartitionedTable, { name, attached, pending }: Partition): Promise<void> {
  if (attached) {
    const how = pending ? sql`finalize` : sql`concurrently`
    await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)} ${how}`.execute(db)
  }
  await sql`drop table if exists ${sql.table(name)}`.execute(db)
}

/** The days (`YYYY-MM-DD`) that have a partition. */
export async function partitionedDays(db: Db, table: PartitionedTable): Promise<string[]> {
  const attached = (await dayPartitions(db, table)).filter((partition) => partition.attached)
  return attached.map(({ name }) => name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3'))
}

/** The partitions of days, detached ones too. */
async function dayPartitions(db: Db, table: PartitionedTable): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select c.relname as name, i.inhrelid is not null as attached, coalesce(i.inhdetachpending, false) as pending
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relname ~ ${`^${table}_d[0-9]{8}$`} and c.relkind = 'r' and pg_table_is_visible(c.oid)
    order by c.relname
  `.execute(db)
  return rows
}

const partitionOf = (table: PartitionedTable, day: string) => `${table}_d${day.replaceAll('-', '')}`
