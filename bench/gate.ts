import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type ComparatorConfig, comparatorSchema } from '../comparator/config.ts'
import { knownValidations } from '../comparator/jobs/comparator.ts'
import { foldGroups } from '../comparator/jobs/expire.ts'
import { startComparator } from '../comparator/server.ts'
import { type Db, openDatabase } from '../comparator/store/database/open-database.ts'
import { addValidations } from '../comparator/store/gate/policies.ts'
import { migrate } from '../comparator/store/migrate/migrate.ts'
import { decodeSection } from '../runtime/config/load-config.ts'
import { createLogger } from '../runtime/logger.ts'
import type { Bench, BenchSurroundings } from './bench.ts'
import { describeGate, type GateTimes, type OverviewTimes, questions, type RollupSize } from './gate/describe.ts'
import { fillMonth } from './gate/fill-month.ts'
import { type GatePlan, gatePlan, type Kind, kinds, nameOf, validationOf, warmUps } from './gate/plan.ts'
import { observationOf } from './gate/sample.ts'
import { serverVersion, temporaryDatabase } from './intake/temporary-database.ts'
import { machineLine } from './processes/machine.ts'

const tokens = { viewer: 'bench-viewer', ingest: 'bench-ingest' }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** How much do the gate and the dashboard cost over a month, after 10⁵, 10⁶ and 10⁷ observations? */
export const gate: Bench = {
  name: 'gate',
  async run(around: BenchSurroundings) {
    const plan = gatePlan(around.quick)
    const machine = machineLine()
    const version = await serverVersion()
    const measured = [
      ...(version === undefined ? [] : [await onPostgres(around, plan, version)]),
      await measure(around, plan, 'PGlite', `embedded:${join(around.directory, 'db')}`),
    ]
    const times = measured.flatMap((one) => one.times)
    const overview = measured.flatMap((one) => one.overview)
    return describeGate({ plan, machine, times, overview, sizes: measured[0]!.sizes })
  },
}

async function onPostgres(around: BenchSurroundings, plan: GatePlan, version: string) {
  const database = temporaryDatabase()
  await database.create()
  try {
    return await measure(around, plan, version, database.url)
  } finally {
    await database.drop()
  }
}

interface Measured {
  times: GateTimes[]
  overview: OverviewTimes[]
  sizes: RollupSize[]
}

async function measure(
  { progress }: BenchSurroundings,
  plan: GatePlan,
  engine: string,
  database: string,
): Promise<Measured> {
  const config = configOf(plan, database)
  const sizes = await fill(config, plan, engine, progress)
  const comparator = await startComparator({ config, logger: createLogger('bench', 'warn') })
  let reports = 0
  try {
    const times: GateTimes[] = kinds.flatMap((kind) =>
      plan.sizes.flatMap((size) =>
        questions.flatMap((question) =>
          [false, true].map((isAgain) => ({ engine, kind, size, question, isAgain, times: [] })),
        ),
      ),
    )
    const overview: OverviewTimes[] = [false, true].map((isAgain) => ({ engine, isAgain, times: [] }))
    for (let i = -warmUps; i < plan.repeats; i++) {
      for (const one of overview) {
        if (!one.isAgain) await observe(comparator.url, kinds[0], plan.sizes.at(-1)!)
        const took = await ask(`${comparator.url}/v1/validations`)
        if (i >= 0) one.times.push(took)
      }
      for (const one of times) {
        const name = nameOf(one.kind, one.size)
        if (!one.isAgain) await moveOn(comparator.url, name, ++reports)
        const took = await ask(`${comparator.url}/v1/validations/${name}/${one.question}`)
        if (i >= 0) one.times.push(took)
      }
    }
    progress(`${engine}: asked`)
    return { times, overview, sizes }
  } finally {
    await comparator.stop()
  }
}

async function ask(url: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(url, { headers: { authorization: `Bearer ${tokens.viewer}` } })
  const text = await response.text()
  const took = performance.now() - startedAt
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`)
  return took
}

/** Changes the evidence: a mirror reports one more skipped exchange. */
async function moveOn(url: string, validation: string, count: number): Promise<void> {
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
  const report = { reporter: `bench-${count}`, validation, minute, sizeClass: 'le1KiB', seen: 1, skipped: { shed: 1 } }
  await deliver(`${url}/v1/coverage`, { reports: [report] })
}

/** Changes the overview, which depends only on the windows: only observations and labels move those on. */
async function observe(url: string, kind: Kind, size: number): Promise<void> {
  await deliver(`${url}/v1/observations`, { observations: [observationOf(kind, nameOf(kind, size))] })
}

async function deliver(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ingest}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the comparator answered ${response.status}: ${text.slice(0, 200)}`)
}

function configOf(plan: GatePlan, database: string): ComparatorConfig {
  const raw = {
    listen: '127.0.0.1:0',
    database,
    tokens: (['viewer', 'ingest'] as const).map((role) => ({ name: role, role, sha256: sha256(tokens[role]) })),
    validations: kinds.flatMap((kind) => plan.sizes.map((size) => validationOf(kind, size))),
  }
  const { value, problems } = decodeSection(raw, 'comparator', comparatorSchema, {})
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return value as ComparatorConfig
}

async function fill(
  config: ComparatorConfig,
  plan: GatePlan,
  engine: string,
  progress: (line: string) => void,
): Promise<RollupSize[]> {
  const { db, close } = await openDatabase(config.database)
  try {
    await migrate(db)
    const validations = knownValidations(config.validations)
    await addValidations(db, [...validations.values()])
    const sizes: RollupSize[] = []
    for (const kind of kinds) {
      for (const size of plan.sizes) {
        const before = await rollupsIn(db)
        await fillMonth(db, validations.get(nameOf(kind, size))!.config, size)
        await foldGroups({ db, validations }, Date.now())
        const after = await rollupsIn(db)
        sizes.push({ engine, kind, size, rows: after.rows - before.rows, bytes: after.bytes - before.bytes })
        progress(`${engine}: ${nameOf(kind as Kind, size)} filled`)
      }
    }
    await sql`analyze`.execute(db)
    return sizes
  } finally {
    await close()
  }
}

async function rollupsIn(db: Db): Promise<{ rows: number; bytes: number }> {
  const { rows } = await sql<{ rows: number; bytes: number }>`
    select count(*) as rows, pg_total_relation_size('rollup') as bytes from rollup
  `.execute(db)
  return rows[0]!
}
