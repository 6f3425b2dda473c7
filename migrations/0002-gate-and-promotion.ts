import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table gate_evaluation (
      id uuid primary key,
      validation text not null references validation (name),
      window_id bigint references evidence_window (id),
      revision bigint not null,
      policy_digest text not null,
      at timestamptz not null,
      verdict text not null,
      reason text not null,
      checks jsonb not null,
      evidence jsonb not null
    )`.execute(db)
  await sql`create index gate_evaluation_newest on gate_evaluation (validation, at desc)`.execute(db)

  await sql`
    create table promotion (
      id uuid primary key,
      validation text not null references validation (name),
      gate_id uuid not null references gate_evaluation (id),
      state text not null,
      override boolean not null,
      requested_by text not null,
      requested_at timestamptz not null,
      comment text not null,
      step integer,
      step_at timestamptz
    )`.execute(db)
  // at most one promotion of a validation is under way
  await sql`
    create unique index promotion_under_way on promotion (validation)
    where state in ('requested', 'rollingOut', 'promoted')`.execute(db)

  await sql`
    create table approval (
      promotion_id uuid not null references promotion (id),
      approver text not null,
      at timestamptz not null,
      comment text not null,
      primary key (promotion_id, approver)
    )`.execute(db)

  await sql`
    create table audit (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      actor text not null,
      role text not null,
      action text not null,
      validation text,
      details jsonb not null
    )`.execute(db)
  // append-only, even for people who edit the database by hand
  await sql`
    create function refuse_audit_change() returns trigger language plpgsql as
    $$ begin raise exception 'the audit is append-only'; end $$`.execute(db)
  await sql`
    create trigger audit_is_append_only before update or delete on audit
    for each row execute function refuse_audit_change()`.execute(db)

  await sql`
    create table routing (
      only_row boolean primary key default true check (only_row),
      version bigint not null,
      updated_at timestamptz not null
    )`.execute(db)
  await sql`insert into routing (version, updated_at) values (1, now())`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table routing, audit, approval, promotion, gate_evaluation`.execute(db)
  await sql`drop function refuse_audit_change`.execute(db)
}
