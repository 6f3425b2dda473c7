import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Each entry holds the hash of the one before it; no two entries can follow the same one.
  await sql`alter table audit add column prev_hash text, add column hash text`.execute(db)
  await sql`drop trigger audit_is_append_only on audit`.execute(db)
  await chainEntries(db)
  await sql`
    alter table audit alter column prev_hash set not null, alter column hash set not null,
      add constraint audit_is_one_chain unique (prev_hash)`.execute(db)
  await sql`
    create trigger audit_is_append_only before update or delete on audit
    for each row execute function refuse_audit_change()`.execute(db)
  await sql`
    create trigger audit_is_never_emptied before truncate on audit
    for each statement execute function refuse_audit_change()`.execute(db)
  await sql`create index audit_of_promotion on audit ((details ->> 'promotion'), id)`.execute(db)

  // The evaluation that an approver saw.
  await sql`alter table approval add column gate_id uuid references gate_evaluation (id)`.execute(db)

  // The digest of an evaluation's input, and the input itself if the verdict changed or a promotion refers to it.
  await sql`alter table gate_evaluation add column input_digest text`.execute(db)
  await sql`
    create table gate_input (
      evaluation_id uuid primary key references gate_evaluation (id) on delete cascade,
      validation text not null,
      at timestamptz not null,
      input bytea not null
    )`.execute(db)
  await sql`create index gate_input_newest on gate_input (validation, at desc)`.execute(db)

  await sql`
    create table webhook_delivery (
      id uuid primary key,
      target text not null,
      event text not null,
      body text not null,
      created_at timestamptz not null,
      next_at timestamptz not null,
      attempts integer not null default 0,
      last_error text
    )`.execute(db)
  await sql`create index webhook_delivery_due on webhook_delivery (target, next_at)`.execute(db)

  // The live gate of a rollout reads the newest answers that clients got from a candidate.
  await sql`create index observation_live on observation (validation, at desc) where live = 'candidate'`.execute(db)
}

const firstPrevHash = '0'.repeat(64)
const entriesPerReadMax = 1000

interface Entry {
  id: number
  at: Date
  actor: string
  role: string
  action: string
  validation: string | null
  details: unknown
}

/** Chains the existing entries, oldest first. */
async function chainEntries(db: Kysely<unknown>): Promise<void> {
  let prevHash = firstPrevHash
  let after = 0
  for (;;) {
    const { rows } = await sql<Entry>`
      select id, at, actor, role, action, validation, details from audit
      where id > ${after} order by id limit ${entriesPerReadMax}
    `.execute(db)
    for (const entry of rows) {
      const { at, actor, role, action, validation, details } = entry
      const content = { at: at.toISOString(), actor, role, action, validation, details, prevHash }
      const hash = createHash('sha256').update(canonicalJson(content)).digest('hex')
      await sql`update audit set prev_hash = ${prevHash}, hash = ${hash} where id = ${entry.id}`.execute(db)
      prevHash = hash
      after = Number(entry.id)
    }
    if (rows.length < entriesPerReadMax) return
  }
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
}
