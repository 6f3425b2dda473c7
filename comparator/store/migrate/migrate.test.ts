import { randomUUIDv7 } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { intakeOn } from '../../../test/support/intake.ts'
import { expire } from '../../jobs/expire.ts'
import { acceptObservations } from '../../jobs/intake/accept-observations.ts'
import { pairsOf } from '../../statistics/bin-counts.ts'
import { type Db, openDatabase } from '../database/open-database.ts'
import { addValidations } from '../gate/policies.ts'
import { reportedSkips } from '../intake/coverage.ts'
import { dayOf, dayOfId } from '../observations/day-of-id.ts'
import { listObservations } from '../observations/list-observations.ts'
import { findObservation, knownIds } from '../observations/observations.ts'
import { forgetPartitions } from '../observations/partitions.ts'
import { readRollups } from '../rollups/rollups.ts'
import { field, fillOld, oldSlice } from './migrate.fixture.ts'
import { migrate, migrationStatus, warningOfOthers } from './migrate.ts'

const hourMs = 3_600_000
/** The bucket width of slices where the window is a month. */
const sliceMs = 6 * hourMs
let database: TestDatabase
let db: Db
let close: () => Promise<void>
beforeAll(async () => {
  database = await createEmptyDatabase()
  ;({ db, close } = await openDatabase(database.url))
})
// as empty as a new database, and made in a tenth of the time
beforeEach(async () => {
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  forgetPartitions(db)
})
afterAll(async () => {
  await close()
  await database.drop()
})

/** Every version that a database may come from. */
const versions = readdirSync(join(import.meta.dirname, '../../../migrations'))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()
  .slice(0, -1)

describe.each(versions)('from %s', (version) => {
  test('existing data is found again and added to, and its duplicates are recognised', async () => {
    await migrate(db, version)
    const now = Date.now()
    const hour = Math.floor(now / hourMs) * hourMs
    const old = observation({
      ...{ id: randomUUIDv7(), validation: 'price', at: now, correlationId: 'c' },
      ...{ primary: { prediction: 1 }, candidate: { prediction: 2 } },
    })
    const comparator = intakeOn(db, [{ ...regression, window: { ...regression.window, duration: '30d' } }])
    const known = comparator.validations.get('price')!
    await fillOld(db, version, { id: old.id, now, hour, digest: known.digest, policy: known.policy })
    if (version > '0006') {
      await sql`
        insert into example (window_id, slice, kind, day, key, observation_id, observation_day)
        values (1, '', 'worst', ${dayOf(now)}, 1, ${old.id}, ${dayOfId(old.id)})`.execute(db)
    }

    const applied = await migrate(db)
    expect(applied.length).toBeGreaterThan(0)
    expect((await migrationStatus(db)).every(({ appliedAt }) => appliedAt !== null)).toBe(true)

    expect(await findObservation(db, old.id)).toMatchObject({ id: old.id, request: { path: '/price' } })
    const listed = await listObservations(db, { validation: 'price', windowId: 1, order: 'worst', limit: 9 })
    expect(listed.map(({ id, bodies_kept }) => [id, bodies_kept])).toEqual([[old.id, true]])
    expect(await db.transaction().execute((tx) => knownIds(tx, [old.id, randomUUIDv7()]))).toEqual(new Set([old.id]))
    // folded half days are made again
    const widths = await db.selectFrom('rollup').select('bucket_ms').distinct().orderBy('bucket_ms').execute()
    expect(widths.map(({ bucket_ms }) => bucket_ms)).toEqual(version < '0006' ? [hourMs] : [hourMs, sliceMs])
    const range = { windowId: 1, bucketMs: hourMs, from: hour, to: hour + hourMs, groupMs: hourMs }
    const before = await readRollups(db, range)
    expect([...before.buckets[0]!.sums]).toEqual([['absError', { n: 1, sum: 1, sumSq: 1, min: 1, max: 1 }]])
    expect([...before.groups[0]!.cells]).toEqual([
      [field, { n: 3_000_000_000, sum: -0.1, sumSq: 1e-300, min: -2.5, max: 7 }],
    ])
    expect(pairsOf(before.groups[0]!.bins.get('absError')!)).toEqual([
      [-7, 2],
      [2079, 5_000_000_000],
    ])
    const from = Math.floor(hour / sliceMs) * sliceMs
    const ofSlice = { ...range, bucketMs: sliceMs, groupMs: sliceMs, from, to: from + sliceMs, slice: oldSlice }
    const { buckets, groups } = await readRollups(db, ofSlice)
    if (version < '0006') expect([buckets, groups]).toEqual([[], []])
    else {
      expect([...buckets[0]!.sums]).toEqual([['absError', { n: 4, sum: 10, sumSq: 30, min: 1, max: 4 }]])
      expect([...groups[0]!.cells]).toEqual([[field, { n: 2, sum: 2, sumSq: 2, min: 1, max: 1 }]])
      expect(pairsOf(groups[0]!.bins.get('absError')!)).toEqual([[3, 4]])
    }
    expect(await reportedSkips(db, 'price', hour, hour + hourMs)).toEqual([
      { reason: 'shed', sizeClass: 'le1KiB', count: 5 },
    ])
    // old data has no slices and counts for all traffic only
    expect(listed[0]).toMatchObject({ slices: null, outputs: null })
    expect(await db.selectFrom('example').select(['slice', 'kind', 'key', 'observation_id']).execute()).toEqual([
      { slice: '', kind: 'worst', key: 1, observation_id: old.id },
    ])

    // new evidence is added
    await addValidations(db, [known])
    const fresh = {
      ...{ ...old, id: randomUUIDv7(), at: new Date(hour).toISOString() },
      ...{ primary: { ...old.primary, digest: 'sha256:p' }, candidate: { ...old.candidate, digest: 'sha256:c' } },
    }
    expect(await acceptObservations(comparator, [old, fresh])).toEqual({ accepted: 1, duplicates: 1, rejected: [] })
    // a window from before digests were known
    expect(await db.selectFrom('evidence_window').select(['primary_digest', 'candidate_digest']).execute()).toEqual([
      { primary_digest: 'sha256:p', candidate_digest: 'sha256:c' },
    ])
    const after = await readRollups(db, range)
    expect(after.buckets[0]!.sums.get('absError')!.n).toBe(2)
    expect(after.groups[0]!.bins.get('absError')!.counts.reduce((a, b) => a + b)).toBe(5_000_000_003)
    const slice = await readRollups(db, ofSlice)
    expect(slice.buckets[0]!.sums.get('absError')!.n).toBe(version < '0006' ? 1 : 5)
    await expire({ ...comparator, db })
    const kept = await listObservations(db, { validation: 'price', windowId: 1, order: 'worst', limit: 9 })
    expect(kept.map(({ bodies_kept }) => bodies_kept)).toEqual([true, true])
  })
})

describe('migrating', () => {
  test('is done once by any number of services that start together, and leaves no lock behind', async () => {
    const { url } = database
    const isServer = !url.startsWith('embedded:')
    const others = isServer ? await Promise.all([1, 2, 3].map(() => openDatabase(url))) : []
    const applied = await Promise.all([db, ...others.map((other) => other.db)].map((each) => migrate(each)))
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
    expect(await migrate(db)).toEqual([])
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and database = (
      select oid from pg_database where datname = current_database())`.execute(db)
    expect(rows).toEqual([])
    for (const other of others) await other.close()
  })

  test('is refused on a schema of a newer version, and says what to do', async () => {
    await migrate(db)
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', 'x')`.execute(db)
    await expect(migrate(db)).rejects.toThrow(/newer version of understudy: it has 9999-future.*up to \d{4}-/)
    await expect(migrationStatus(db)).rejects.toThrow(/newer version/)
  })

  test('is refused beside the migrations of another program, which keeps them in a table of the same name', async () => {
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
      db,
    )
    await sql`insert into kysely_migration (name, timestamp) values ('2024-01-01-users', 'x')`.execute(db)
    await expect(migrate(db)).rejects.toThrow(/a database of understudy's own.*of another program: 2024-01-01-users/)
  })

  test('is warned of beside the tables of another program, until ours are there', async () => {
    expect(await warningOfOthers(db)).toBeUndefined()
    await sql`create table users (id integer)`.execute(db)
    expect(await warningOfOthers(db)).toMatch(/a database of understudy's own.*of another program: users$/)
    await migrate(db)
    expect(await warningOfOthers(db)).toBeUndefined()
  })

  test('is refused where nothing can be written; what was applied is listed there too', async () => {
    await migrate(db, '0003-arrivals')
    await db.connection().execute(async (one) => {
      await sql`set default_transaction_read_only = on`.execute(one)
      try {
        await expect(migrate(one)).rejects.toThrow(
          /^comparator\.database: expected a server that can be written to, .*: /,
        )
        expect((await migrationStatus(one)).filter(({ appliedAt }) => appliedAt !== null)).toHaveLength(3)
      } finally {
        await sql`set default_transaction_read_only = off`.execute(one)
      }
    })
  })

  test('that fails changes nothing', async () => {
    await migrate(db, '0003-arrivals')
    await sql`create table rollup_histogram (x integer)`.execute(db)
    await expect(migrate(db)).rejects.toThrow(/rollup_histogram/)
    expect((await migrationStatus(db)).filter(({ appliedAt }) => appliedAt !== null)).toHaveLength(3)
    await sql`drop table rollup_histogram`.execute(db)
    expect((await migrate(db))[0]).toBe('0004-day-partitions')
  })
})
