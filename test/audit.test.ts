import { writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AuditCheck } from '../comparator/jobs/promotion/check-audit.ts'
import { appendAudit } from '../comparator/store/audit/audit.ts'
import { type Db, openDatabase } from '../comparator/store/database/open-database.ts'
import { migrate } from '../comparator/store/migrate/migrate.ts'
import { systemClock } from '../runtime/clock.ts'
import { runCommand } from './support/command.ts'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { evidence, promoting } from './support/promotions.ts'
import { temporaryDirectory } from './support/services.ts'

const directory = temporaryDirectory()
let database: TestDatabase
let db: Db
let close: () => Promise<void>

/** The command opens the database itself, and an embedded database allows one user at a time. */
async function verify(...more: string[]) {
  await close()
  const file = `${directory.path}/config.yaml`
  writeFileSync(file, `comparator: { database: "${database.url}" }`)
  const result = await runCommand(['audit', 'verify', '--config', file, ...more])
  ;({ db, close } = await openDatabase(database.url))
  return result
}

/** What the API reports about the chain, without a process. */
const chain = () => new AuditCheck({ db, clock: systemClock }).chain()

const append = (action: string, details: Record<string, unknown> = {}) =>
  db
    .transaction()
    .execute((tx) =>
      appendAudit(tx, { at: new Date(), actor: 'ana', role: 'approver', action, validation: 'digits', details }),
    )

/** Makes a change as someone with full access to the database could. */
async function tamper(statement: ReturnType<typeof sql>) {
  await sql`alter table audit disable trigger all`.execute(db)
  await statement.execute(db)
  await sql`alter table audit enable trigger all`.execute(db)
}

beforeAll(async () => {
  database = await createTestDatabase()
  ;({ db, close } = await openDatabase(database.url))
})
afterAll(async () => {
  await close?.()
  await database?.drop()
  directory.remove()
})

describe('the audit', () => {
  test('written by many at once is one chain, whatever the details contain', async () => {
    const odd = {
      text: 'a\u0000b \ud800 "quotes" ünïcode',
      number: 1e-7,
      big: 1e300,
      nested: { z: 1, a: [null, true] },
    }
    await Promise.all(Array.from({ length: 40 }, (_, i) => append(`act.${i}`, { i, ...odd })))
    const { status, stdout } = await verify('--json')
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, ok: true, entries: 40, broken: null })
  })

  test('cannot be changed, emptied or shortened by any user’s statements', async () => {
    for (const statement of [sql`update audit set actor = 'nobody'`, sql`delete from audit`, sql`truncate audit`]) {
      await expect(statement.execute(db)).rejects.toThrow('append-only')
    }
    expect(await chain()).toMatchObject({ entries: 40, broken: null })
  })

  test('that cannot be read is not reported as broken', async () => {
    const file = `${directory.path}/unreachable.yaml`
    writeFileSync(file, 'comparator: { database: "postgres://127.0.0.1:1/none" }')
    expect(await runCommand(['audit', 'verify', '--config', file])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('PostgreSQL at 127.0.0.1:1, database none'),
    })
  })

  test('shows the first entry that was altered', async () => {
    const { rows } = await sql<{
      id: number
      details: unknown
    }>`select id, details from audit order by id offset 9 limit 1`.execute(db)
    const { id, details } = rows[0]!
    await tamper(sql`update audit set details = details || '{"i": 99}' where id = ${id}`)
    expect(await verify()).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(new RegExp(`^broken at entry ${id}: it was altered`)),
    })
    expect(await chain()).toMatchObject({ entries: 9, broken: { id, problem: expect.stringMatching(/altered/) } })
    await tamper(sql`update audit set details = ${JSON.stringify(details)}::jsonb where id = ${id}`)
    expect(await chain()).toMatchObject({ entries: 40, broken: null })
  })

  test('shows where an entry was removed', async () => {
    const { rows } = await sql<{ id: number; next: number }>`
      select id, lead(id) over (order by id) as next from audit order by id offset 19 limit 1`.execute(db)
    const { id, next } = rows[0]!
    const kept = await sql`select * from audit where id = ${id}`.execute(db)
    await tamper(sql`delete from audit where id = ${id}`)
    expect(await chain()).toMatchObject({
      entries: 19,
      broken: { id: next, problem: expect.stringMatching(/^it does not follow entry \d+/) },
    })
    const row = kept.rows[0] as Record<string, unknown>
    await tamper(sql`
      insert into audit (id, at, actor, role, action, validation, details, prev_hash, hash) overriding system value
      values (${row.id}, ${row.at}, ${row.actor}, ${row.role}, ${row.action}, ${row.validation},
        ${JSON.stringify(row.details)}::jsonb, ${row.prev_hash}, ${row.hash})`)
    expect(await chain()).toMatchObject({ entries: 40, broken: null })
  })

  test('that lost its end does not contain the hash that was noted', async () => {
    const { hash, id } = await append('the.last')
    expect((await verify('--expect', hash)).status).toBe(0)
    await tamper(sql`delete from audit where id = ${id}`)
    expect(await chain()).toMatchObject({ entries: 40, broken: null })
    expect(await verify('--expect', hash)).toMatchObject({ status: 1, stdout: expect.stringContaining(hash) })
    expect((await verify('--expect', hash)).stdout).toMatch(/; 40 entries up to there are intact\n$/)
  })

  test('is not reported as broken for want of a hash that is none, such as a truncated one', async () => {
    for (const noHash of ['4d88a6dff145', '']) {
      expect(await verify('--expect', noHash)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('expected a SHA-256'),
      })
    }
  })

  test('accepts no second entry after the same one', async () => {
    await append('a')
    await expect(
      sql`insert into audit (at, actor, role, action, details, prev_hash, hash)
        select at, actor, role, action, details, prev_hash, 'x' from audit order by id desc limit 1`.execute(db),
    ).rejects.toThrow('audit_is_one_chain')
  })
})

test('entries from before the chain existed are part of it after the migration', async () => {
  const old = await createEmptyDatabase()
  const opened = await openDatabase(old.url)
  try {
    await migrate(opened.db, '0004-day-partitions')
    for (let i = 0; i < 5; i++) {
      await sql`insert into audit (at, actor, role, action, details)
        values (now(), 'ana', 'approver', ${`old.${i}`}, '{"b": 1, "a": {"y": 0.1, "x": null}}')`.execute(opened.db)
    }
    await migrate(opened.db)
    await opened.close()
    const file = `${directory.path}/old.yaml`
    writeFileSync(file, `comparator: { database: "${old.url}" }`)
    expect(await runCommand(['audit', 'verify', '--config', file])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^5 entries, one chain/),
    })
  } finally {
    await opened.close().catch(() => {})
    await old.drop()
  }
})

test('a database that no comparator has used has none, which is not an intact one', async () => {
  const unused = await createEmptyDatabase()
  onTestFinished(unused.drop)
  const file = `${directory.path}/unused.yaml`
  writeFileSync(file, `comparator: { database: "${unused.url}" }`)
  expect(await runCommand(['audit', 'verify', '--config', file])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('no comparator has used this database yet'),
  })
})

test('is verified over the API too, with hashes that the client computes', async () => {
  const rollout = { steps: [10, 100], stepDuration: '60s' } // its second step would be an entry too
  const comparator: TestComparator = await startTestComparator([{ ...classification, name: 'good', rollout }])
  try {
    const { promote, act } = promoting(() => comparator)
    await comparator.post(evidence('good'))
    const { body: promotion } = await promote('good')
    await act(promotion.id, 'rollback', { comment: 'back' })
    const run = (...more: string[]) =>
      runCommand(['audit', 'verify', '--server', comparator.url, ...more], { UNDERSTUDY_TOKEN: tokens.viewer })
    const { status, stdout } = await run('--json')
    const { entries, head } = JSON.parse(stdout)
    expect([status, entries]).toEqual([0, 3])
    expect((await run('--expect', head)).status).toBe(0)
    expect((await run('--expect', '0'.repeat(64))).status).toBe(1)
    expect(await runCommand(['audit', 'verify'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--config'),
    })
  } finally {
    await comparator.close()
  }
})
