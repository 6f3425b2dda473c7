import { type Kysely, sql } from 'kysely'

/** New columns are empty in existing rows, so nothing is rewritten: earlier evidence has no slices. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // dimension → the values that have slices of their own in the window
  await sql`alter table evidence_window add column slice_values jsonb not null default '{}'`.execute(db)

  // slices: dimension → value. outputs: name → the comparison of a further output
  await sql`alter table observation add column slices jsonb, add column outputs jsonb`.execute(db)
  await sql`alter table observation_body add column bytes integer`.execute(db)

  // The example observations of a slice: the worst (greatest keys), and for each day a uniform sample (smallest keys).
  await sql`
    create table example (
      window_id bigint not null,
      slice text not null,
      kind text not null,
      day date not null,
      key double precision not null,
      observation_id uuid not null,
      observation_day date not null,
      primary key (window_id, slice, kind, day, key, observation_id)
    )`.execute(db)
  await sql`create index example_observation on example (observation_id)`.execute(db)
  await sql`create index example_expiry on example (day)`.execute(db)

  // so far the worst of all traffic were those with bodies
  await sql`
    insert into example (window_id, slice, kind, day, key, observation_id, observation_day)
    select window_id, '', 'worst', (at at time zone 'UTC')::date, severity, observation_id,
      coalesce((select o.day from observation o where o.id = b.observation_id limit 1), '1970-01-01')
    from (
      select *, row_number() over (partition by window_id order by severity desc, observation_id desc) as place
      from observation_body where severity > 0
    ) as b where place <= 200`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table example`.execute(db)
  await sql`alter table observation_body drop column bytes`.execute(db)
  await sql`alter table observation drop column slices, drop column outputs`.execute(db)
  await sql`alter table evidence_window drop column slice_values`.execute(db)
}
