import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { acceptObservations } from '../comparator/jobs/intake/accept-observations.ts'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { addValidations } from '../comparator/store/gate/policies.ts'
import { migrate } from '../comparator/store/migrate/migrate.ts'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import type { Observation } from '../vocabulary/observation.ts'
import { ended } from './support/command.ts'
import { observation, regression } from './support/comparator.ts'
import { intakeOn } from './support/intake.ts'
import { rollupDifferences, rollupsOfStream, storedRollups } from './support/recount.ts'

const bin = findPostgres()
const owner = ownerOfServer()
const directory = mkdtempSync(join(tmpdir(), 'understudy-postgres-'))
let server: ChildProcess | undefined

afterAll(async () => {
  if (server && server.exitCode === null && server.signalCode === null) {
    server.kill('SIGQUIT')
    await ended(server)
  }
  rmSync(directory, { recursive: true, force: true })
})

function findPostgres(): string | undefined {
  try {
    const root = '/usr/lib/postgresql'
    const versions = readdirSync(root).sort((a, b) => Number(a) - Number(b))
    return versions.map((version) => join(root, version, 'bin')).at(-1)
  } catch {
    return undefined
  }
}

/** PostgreSQL refuses to run as root, so it runs as `postgres` if that user exists. */
function ownerOfServer(): { uid: number; gid: number } | undefined | 'nobody' {
  if (process.getuid?.() !== 0) return undefined
  const ids = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString() || Number.NaN))
  return ids.some(Number.isNaN) ? 'nobody' : { uid: ids[0]!, gid: ids[1]! }
}

const isThere = bin !== undefined && owner !== 'nobody'
if (!isThere) console.warn('no PostgreSQL server is installed here: the test that kills one is skipped')

function initialise(): void {
  if (owner && owner !== 'nobody') chownSync(directory, owner.uid, owner.gid)
  chmodSync(directory, 0o700)
  const args = ['-D', join(directory, 'data'), '-U', 'postgres', '-A', 'trust', '--no-sync']
  const made = spawnSync(join(bin!, 'initdb'), args, { ...asOwner(), cwd: directory })
  if (made.status !== 0) throw new Error(made.stderr.toString())
}

const asOwner = () => (owner && owner !== 'nobody' ? owner : {})

/** Resolves once it answers; a killed server needs a moment until its children have gone. */
async function start(port: number): Promise<void> {
  const args = ['-D', join(directory, 'data'), '-p', String(port), '-k', directory, '-c', 'listen_addresses=127.0.0.1']
  await waitFor('the server to come up', async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) {
      server = spawn(join(bin!, 'postgres'), args, { ...asOwner(), cwd: directory, stdio: 'ignore' })
    }
    const client = new pg.Client({ connectionString: urlAt(port) })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      await sleep(200)
      return false
    }
  })
}

const urlAt = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`

function streamOf(count: number): Observation[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, i) =>
    observation({
      validation: 'price',
      at: now - Math.floor(Math.random() * 7_200_000),
      primary: { prediction: i % 17 },
      candidate: i % 11 === 0 ? { kind: 'timedOut', totalMs: 80 } : { prediction: (i % 17) + (i % 5) / 10 },
      primaryMs: 5 + (i % 40),
      candidateMs: 3 + (i % 23),
    }),
  )
}

test.skipIf(!isThere)(
  'a PostgreSQL killed under load, twice, with two comparators on it, leaves rollups equal to their observations',
  async () => {
    initialise()
    const port = await freePorts(1)
    await start(port)
    const stores = await Promise.all([1, 2].map(() => openDatabase(urlAt(port))))
    await migrate(stores[0]!.db)
    const validations = [{ ...regression, window: { ...regression.window, duration: '30d' } }]
    const comparators = stores.map(({ db }) => intakeOn(db, validations))
    const known = comparators[0]!.validations.get('price')!
    await addValidations(stores[0]!.db, [known])

    const stream = streamOf(6000)
    const bundles = Array.from({ length: 120 }, (_, i) => stream.slice(i * 50, i * 50 + 50))
    const total = bundles.length
    let failures = 0
    const progress = { done: 0 }
    const deliver = async (comparator: (typeof comparators)[number]) => {
      for (let bundle = bundles.shift(); bundle; bundle = bundles.shift()) {
        // retries until accepted, as a mirror does
        for (let taken = false; !taken; ) {
          try {
            const { rejected } = await acceptObservations(comparator, bundle)
            expect(rejected).toEqual([])
            taken = true
          } catch {
            failures += 1
            await sleep(50)
          }
        }
        progress.done += 1
      }
    }
    const loads = comparators.flatMap((comparator) => [deliver(comparator), deliver(comparator)])
    for (const share of [0.25, 0.6]) {
      while (progress.done < share * total) await sleep(5)
      server!.kill('SIGKILL')
      await ended(server!)
      await start(port)
    }
    await Promise.all(loads)

    expect(failures).toBeGreaterThan(0)
    const { rows } = await sql<{ rows: number; ids: number }>`
      select count(*) as rows, count(distinct id) as ids from observation`.execute(stores[0]!.db)
    expect(rows[0]).toEqual({ rows: stream.length, ids: stream.length })
    const stored = await storedRollups(stores[0]!.db, known)
    expect(rollupDifferences(stored, rollupsOfStream(known, stream))).toEqual([])
    for (const { close } of stores) await close()
  },
)
