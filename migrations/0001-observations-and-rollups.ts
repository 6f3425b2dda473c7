import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table validation (
      name text primary key,
      policy jsonb not null,
      policy_digest text not null,
      state text not null default 'observing',
      live_percent double precision not null default 0,
      created_at timestamptz not null default now()
    )`.execute(db)

  // One row per window: a validation under one pair of model versions and one policy. '' means not known yet.
  await sql`
    create table evidence_window (
      id bigint generated always as identity primary key,
      validation text not null references validation (name),
      primary_version text not null,
      candidate_version text not null,
      candidate_digest text not null default '',
      policy jsonb not null,
      policy_digest text not null,
      bucket_ms integer not null,
      began_at timestamptz not null,
      last_at timestamptz not null,
      revision bigint not null default 0,
      unique (validation, policy_digest, primary_version, candidate_version)
    )`.execute(db)

  await sql`
    create table observation (
      id uuid primary key,
      window_id bigint not null references evidence_window (id),
      validation text not null,
      at timestamptz not null,
      correlation_id text,
      live text not null,
      comparison text not null,
      reason text,
      disagreement double precision,
      severity double precision not null,
      request_bytes bigint not null,
      primary_outcome jsonb not null,
      candidate_outcome jsonb not null,
      primary_answer jsonb,
      candidate_answer jsonb,
      truth jsonb
    )`.execute(db)
  await sql`create index observation_newest on observation (validation, at desc, id desc)`.execute(db)
  await sql`create index observation_worst on observation (window_id, severity desc, id desc)`.execute(db)
  await sql`create index observation_expiry on observation (at)`.execute(db)
  await sql`
    create index observation_correlation on observation (validation, correlation_id)
    where correlation_id is not null`.execute(db)

  await sql`
    create table observation_body (
      observation_id uuid primary key references observation (id) on delete cascade,
      window_id bigint not null,
      at timestamptz not null,
      severity double precision not null,
      request jsonb not null,
      primary_body jsonb,
      candidate_body jsonb
    )`.execute(db)
  await sql`create index observation_body_worst on observation_body (window_id, severity desc)`.execute(db)
  await sql`create index observation_body_expiry on observation_body (at)`.execute(db)

  await sql`
    create table label (
      validation text not null references validation (name),
      correlation_id text not null,
      truth jsonb not null,
      received_at timestamptz not null,
      primary key (validation, correlation_id)
    )`.execute(db)
  await sql`create index label_expiry on label (received_at)`.execute(db)

  await sql`
    create table rollup_sum (
      window_id bigint not null references evidence_window (id),
      bucket_ms integer not null,
      at timestamptz not null,
      measure text not null,
      n bigint not null,
      sum double precision not null,
      sum_sq double precision not null,
      min double precision not null,
      max double precision not null,
      primary key (window_id, bucket_ms, at, measure)
    )`.execute(db)

  await sql`
    create table rollup_bin (
      window_id bigint not null references evidence_window (id),
      bucket_ms integer not null,
      at timestamptz not null,
      measure text not null,
      bin integer not null,
      count bigint not null,
      primary key (window_id, bucket_ms, at, measure, bin)
    )`.execute(db)

  await sql`
    create table coverage_report (
      validation text not null references validation (name),
      minute timestamptz not null,
      reporter text not null,
      size_class text not null,
      seen bigint not null,
      skipped jsonb not null,
      primary key (validation, minute, reporter, size_class)
    )`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop table coverage_report, rollup_bin, rollup_sum, label, observation_body, observation, evidence_window, validation
  `.execute(db)
}
