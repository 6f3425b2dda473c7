import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, BenchSurroundings } from './bench.ts'
import { type ComparatorSide, startComparatorSide } from './intake/comparator-side.ts'
import { copyIntoPglite } from './intake/copy-pglite.ts'
import { type CopyTable, copyIntoPostgres } from './intake/copy-postgres.ts'
import { describeIntake, type IntakeSide } from './intake/describe.ts'
import { makeObservations } from './intake/observations.ts'
import { intakePlan } from './intake/plan.ts'
import { serverVersion, temporaryDatabase } from './intake/temporary-database.ts'
import { machineLine } from './processes/machine.ts'
import { allowedCpus, pinSelf, planPinning } from './processes/pin.ts'

/** How many observations per second does the comparator take, compared with a bare COPY of the same bytes? */
export const intake: Bench = {
  name: 'intake',
  async run(around: BenchSurroundings) {
    const plan = intakePlan(around.quick)
    const machine = machineLine()
    const { proxy: cpus, others } = planPinning()
    const before = allowedCpus(process.pid).join(',')
    pinSelf(others)
    const server = await serverVersion()
    const sides: RunningSide[] = [
      ...(server === undefined ? [] : postgresSides(around, cpus)),
      ...pgliteSides(around, cpus),
    ]
    try {
      for (const side of sides) await side.start(makeObservations(plan.warmUpObservations))
      for (let round = 1; round <= plan.rounds; round++) {
        for (const side of sides) {
          const lines = makeObservations(plan.observations)
          const { seconds, cpuSeconds } = await side.take(lines)
          side.perSecond.push(lines.length / seconds)
          if (cpuSeconds !== undefined) side.cpuMicros.push((cpuSeconds / lines.length) * 1e6)
          around.progress(
            `${round}/${plan.rounds} ${side.engine} ${side.what}: ${(lines.length / seconds).toFixed(0)}/s`,
          )
        }
      }
      return describeIntake({ plan, machine, server, cpu: cpus, sides })
    } finally {
      for (const side of sides) await side.stop()
      if (others !== undefined) pinSelf(before)
    }
  },
}

interface RunningSide extends IntakeSide {
  start(warmUp: string[]): Promise<void>
  take(lines: string[]): Promise<{ seconds: number; cpuSeconds?: number | undefined }>
  stop(): Promise<void>
}

const fresh = (engine: IntakeSide['engine'], what: IntakeSide['what']): IntakeSide => ({
  engine,
  what,
  perSecond: [],
  cpuMicros: [],
})

const copySides: readonly CopyTable[] = ['copy', 'copyKeyed']

function postgresSides(around: BenchSurroundings, cpus: string | undefined): RunningSide[] {
  return [
    ...copySides.map((table) => {
      const database = temporaryDatabase()
      return {
        ...fresh('PostgreSQL', table),
        start: () => database.create(),
        take: async (lines: string[]) => ({ seconds: await copyIntoPostgres(database.url, table, lines) }),
        stop: () => database.drop(),
      }
    }),
    ...(['worst', 'all'] as const).map((bodies) => {
      const database = temporaryDatabase()
      return comparatorSide(around, { engine: 'PostgreSQL', bodies, cpus, database: database.url, ...database })
    }),
  ]
}

function pgliteSides(around: BenchSurroundings, cpus: string | undefined): RunningSide[] {
  return [
    ...copySides.map((table) => {
      const bare = { rounds: 0, directory: join(around.directory, table) }
      return {
        ...fresh('PGlite', table),
        start: async () => void mkdirSync(bare.directory),
        take: async (lines: string[]) => ({
          seconds: await copyIntoPglite(join(bare.directory, String(bare.rounds++)), table, lines),
        }),
        stop: async () => {},
      }
    }),
    ...(['worst', 'all'] as const).map((bodies) =>
      comparatorSide(around, {
        engine: 'PGlite',
        bodies,
        cpus,
        database: `embedded:${join(around.directory, `db-${bodies}`)}`,
        create: async () => {},
        drop: async () => {},
      }),
    ),
  ]
}

function comparatorSide(
  { children, directory }: BenchSurroundings,
  options: Pick<IntakeSide, 'engine'> & {
    bodies: 'worst' | 'all'
    cpus: string | undefined
    database: string
    create(): Promise<void>
    drop(): Promise<void>
  },
): RunningSide {
  const { engine, bodies, cpus, database } = options
  let running: ComparatorSide | undefined
  return {
    ...fresh(engine, bodies),
    async start(warmUp) {
      await options.create()
      running = await startComparatorSide(children, { name: `${engine}-${bodies}`, directory, database, bodies, cpus })
      await running.take(warmUp)
    },
    take: (lines) => running!.take(lines),
    async stop() {
      await running?.stop()
      await options.drop()
    },
  }
}
