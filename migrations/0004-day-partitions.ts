import { type Kysely, sql } from 'kysely'

/**
 * Partitions observations and bodies by day, so that retention can drop tables; stores each histogram as one row; adds
 * slices.
 *
 * Nothing that grows with requests is copied: existing rows stay in place as the partition `undated`, of the day
 * 1970-01-01, until retention deletes them. Building its primary key takes some seconds for ten million rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table observation_body drop constraint observation_body_observation_id_fkey`.execute(db)
  await sql`drop index observation_expiry`.execute(db)
  await setAside(db, 'observation', 'id', ['newest', 'worst', 'correlation'])
  await sql`create table observation (like observation_undated) partition by list (day)`.execute(db)
  await sql`alter table observation add primary key (id, day)`.execute(db)
  await sql`create index observation_newest on observation (validation, at desc, id desc)`.execute(db)
  await sql`create index observation_worst on observation (window_id, severity desc, id desc)`.execute(db)
  await sql`
    create index observation_correlation on observation (validation, correlation_id)
    where correlation_id is not null`.execute(db)
  await attach(db, 'observation')

  await sql`drop index observation_body_expiry`.execute(db)
  await setAside(db, 'observation_body', 'observation_id', ['worst'])
  await sql`create table observation_body (like observation_body_undated) partition by list (day)`.execute(db)
  await sql`alter table observation_body add primary key (observation_id, day)`.execute(db)
  await sql`create index observation_body_worst on observation_body (window_id, severity desc)`.execute(db)
  await attach(db, 'observation_body')

  // windows are never deleted, so a foreign key would only cost a look-up for every row
  await sql`
    alter table rollup_sum
      drop constraint rollup_sum_window_id_fkey,
      add column slice text not null default '',
      drop constraint rollup_sum_pkey,
      add primary key (window_id, bucket_ms, slice, at, measure),
      set (fillfactor = 70)`.execute(db)

  // counts: for each bin in ascending order, its number as a 4-byte and its count as an 8-byte big-endian integer
  await sql`
    create table rollup_histogram (
      window_id bigint not null,
      bucket_ms integer not null,
      slice text not null default '',
      at timestamptz not null,
      measure text not null,
      counts bytea not null,
      primary key (window_id, bucket_ms, slice, at, measure)
    ) with (fillfactor = 70)`.execute(db)
  await sql`
    insert into rollup_histogram (window_id, bucket_ms, at, measure, counts)
    select window_id, bucket_ms, at, measure, string_agg(int4send(bin) || int8send(count), ''::bytea order by bin)
    from rollup_bin group by window_id, bucket_ms, at, measure`.execute(db)
  await sql`drop table rollup_bin`.execute(db)

  // What the mirrors skipped, by hour: a month's reports are too many to add up at every read.
  await sql`
    create table coverage_hour (
      validation text not null,
      hour timestamptz not null,
      size_class text not null,
      reason text not null,
      count bigint not null,
      primary key (validation, hour, size_class, reason)
    ) with (fillfactor = 70)`.execute(db)
  await sql`
    insert into coverage_hour (validation, hour, size_class, reason, count)
    select validation, date_bin('1 hour', minute, '1970-01-01T00:00:00Z'), size_class, skip.key,
      sum(skip.value::bigint)
    from coverage_report, jsonb_each_text(skipped) as skip group by 1, 2, 3, 4`.execute(db)
  await sql`create index coverage_report_expiry on coverage_report (minute)`.execute(db)
}

async function setAside(db: Kysely<unknown>, name: string, key: string, indexes: string[]): Promise<void> {
  const [table, aside] = [sql.table(name), sql.table(`${name}_undated`)]
  await sql`alter table ${table} rename to ${sql.ref(`${name}_undated`)}`.execute(db)
  for (const index of indexes) {
    await sql`alter index ${sql.table(`${name}_${index}`)} rename to ${sql.ref(`${name}_undated_${index}`)}`.execute(db)
  }
  // a constant default does not rewrite the table
  await sql`alter table ${aside} add column day date not null default '1970-01-01'`.execute(db)
  await sql`
    alter table ${aside}
      alter column day drop default,
      drop constraint ${sql.ref(`${name}_pkey`)},
      add constraint ${sql.ref(`${name}_undated_pkey`)} primary key (${sql.ref(key)}, day)`.execute(db)
  if (name === 'observation') await sql`alter table ${aside} drop constraint observation_window_id_fkey`.execute(db)
}

async function attach(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`
    alter table ${sql.table(name)} attach partition ${sql.table(`${name}_undated`)} for values in ('1970-01-01')
  `.execute(db)
}
