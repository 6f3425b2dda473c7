import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** A partition is analysed once it exceeds this multiple of its analysed size, plus a few blocks that never matter. */
const growth = 1.2
const blocksMin = 64

/**
 * Analyses the daily partitions of observations that grew since the last time, as autovacuum does on a server. Returns
 * their names. Each takes 0.2 s of CPU, whatever its size. Without it, the worst compared of 300,000 rows took 0.9 s of
 * CPU to find instead of 7 ms.
 */
export async function analyseGrown(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_inherits i on i.inhrelid = c.oid
    where i.inhparent = 'observation'::regclass
      and pg_relation_size(c.oid) / current_setting('block_size')::integer > c.relpages * ${sql.lit(growth)} + ${sql.lit(blocksMin)}
    order by c.relname
  `.execute(db)
  const names = rows.map(({ name }) => name)
  for (const name of names) await sql`analyze ${sql.table(name)}`.execute(db)
  return names
}
