import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import type { Observation } from '../vocabulary/observation.ts'
import { ended, startCommand } from './support/command.ts'
import { observation, regression, tokenConfig, tokens } from './support/comparator.ts'
import { createEmptyDatabase } from './support/database.ts'
import { intakeOn } from './support/intake.ts'
import { rollupDifferences, rollupsOfStream, storedRollups } from './support/recount.ts'
import { temporaryDirectory } from './support/services.ts'

const onServer = process.env.DATABASE_URL !== undefined
if (!onServer) console.warn('DATABASE_URL is not set: the test of two comparators on one database is skipped')

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const validation = { ...regression, window: { ...regression.window, duration: '30d' } }
const bundleSize = 40

function streamOf(count: number): Observation[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, i) =>
    observation({
      validation: 'price',
      at: now - ((i * 7919) % 7_200_000),
      primary: { prediction: i % 13 },
      candidate: i % 17 === 0 ? { kind: 'reset', totalMs: 8 } : { prediction: (i % 13) - (i % 3) / 10 },
      primaryMs: 5 + (i % 40),
      candidateMs: 3 + (i % 23),
    }),
  )
}

interface Served {
  url: string
  process: ChildProcess
}

async function serve(config: string, url: string): Promise<Served> {
  const process = startCommand(['comparator', '--config', config])
  closing.push(async () => {
    process.kill('SIGKILL')
    await ended(process)
  })
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor(`the comparator at ${url} to be ready`, isReady)
  return { url, process }
}

/** Delivers as a mirror does: retries until accepted. */
async function deliver(url: string, observations: Observation[]): Promise<void> {
  const accepted = () =>
    fetch(`${url}/v1/observations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ingest}`, 'content-type': 'application/json' },
      body: JSON.stringify({ observations }),
    }).then(
      async (response) => {
        if (response.status === 202) expect(((await response.json()) as { rejected: unknown[] }).rejected).toEqual([])
        return response.status === 202
      },
      () => false,
    )
  await waitFor('the bundle to be accepted', accepted)
}

test.skipIf(!onServer)(
  'two comparators on one database, given the same observations in different orders and one killed meanwhile, count each once',
  async () => {
    const directory = temporaryDirectory()
    // both start at once, and one of them migrates the database
    const database = await createEmptyDatabase()
    closing.push(directory.remove, () => database.drop())
    const port = await freePorts(2)
    const addresses = [port, port + 1].map((port) => `127.0.0.1:${port}`)
    const configs = addresses.map((listen, i) => {
      const config = join(directory.path, `comparator-${i}.yaml`)
      const section = { listen, database: database.url, tokens: tokenConfig, validations: [validation] }
      writeFileSync(config, JSON.stringify({ comparator: section }))
      return config
    })
    const urls = addresses.map((address) => `http://${address}`)
    const [, second] = await Promise.all(urls.map((url, i) => serve(configs[i]!, url)))

    const stream = streamOf(4000)
    const bundles = Array.from({ length: stream.length / bundleSize }, (_, i) =>
      stream.slice(i * bundleSize, (i + 1) * bundleSize),
    )
    let delivered = 0
    // the second reads bundles and observations backwards: each observation comes twice, and locks are taken in another
    // order
    const orders = [bundles, bundles.toReversed().map((bundle) => bundle.toReversed())]
    const loads = orders.flatMap((order, i) => {
      const queue = [...order]
      return [0, 1].map(async () => {
        for (let bundle = queue.shift(); bundle; bundle = queue.shift()) {
          await deliver(urls[i]!, bundle)
          delivered += 1
        }
      })
    })
    await waitFor(
      'a quarter of the bundles to be delivered',
      () => delivered,
      (count) => count > bundles.length / 4,
    )
    second!.process.kill('SIGKILL')
    await ended(second!.process)
    await serve(configs[1]!, urls[1]!)
    await Promise.all(loads)

    const { db, close } = await openDatabase(database.url)
    closing.push(close)
    const { rows } = await sql<{ rows: number; ids: number }>`
      select count(*) as rows, count(distinct id) as ids from observation`.execute(db)
    expect(rows[0]).toEqual({ rows: stream.length, ids: stream.length })
    const known = intakeOn(db, [validation]).validations.get('price')!
    const stored = await storedRollups(db, known)
    expect(rollupDifferences(stored, rollupsOfStream(known, stream))).toEqual([])
  },
)
