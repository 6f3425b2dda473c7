import type { BenchResult } from '../bench.ts'
import { type Spread, spreadOf } from '../report/spread.ts'
import { figure, markdownTable, met, ratio, spreadFigure } from '../report/table.ts'
import type { CopyTable } from './copy-postgres.ts'
import { connections, goals, type IntakePlan, observationBytes, perBundle } from './plan.ts'

type Engine = 'PostgreSQL' | 'PGlite'

/** Rounds of one side: observations per second, and the comparator's CPU time per observation in µs. */
export interface IntakeSide {
  engine: Engine
  what: CopyTable | 'worst' | 'all'
  perSecond: number[]
  cpuMicros: number[]
}

interface MeasuredIntake {
  plan: IntakePlan
  machine: string
  server: string | undefined
  cpu: string | undefined
  sides: IntakeSide[]
}

const names = {
  copy: 'bare `COPY` of the same bytes as text, no index',
  copyKeyed: 'bare `COPY` of the same bytes as `jsonb` under their ids',
  worst: 'comparator, `store.bodies: worst`',
  all: 'comparator, `store.bodies: all`',
}

export function describeIntake(measured: MeasuredIntake): BenchResult {
  const { plan, sides } = measured
  const markdown = `## How many observations a second does the comparator take?

**In short:** ${inShort(sides)}

${goalsTable(sides)}

Each observation is ${figure(observationBytes)} bytes of JSON with both answers, of ten classes. The comparator runs as a user starts it: it takes bundles of ${perBundle} over HTTP on ${connections} connections, as from a mirror of four workers, parses, compares, and stores each observation with its rollups in one transaction. \`COPY\` only puts the same bytes into a table: as text without an index, or as documents under a primary key, the least that is needed to recognise a second delivery.

**Measured on** ${measured.machine}. ${measured.cpu === undefined ? 'Nothing was pinned.' : `Comparator (and PGlite in it) on CPU ${measured.cpu} alone, the sender on the others; the PostgreSQL server wherever there is room.`}

${markdownTable(
  ['side', 'observations/s', 'MB/s', 'to `COPY`', 'to `COPY` of documents', 'CPU an observation, µs'],
  sides.map((side) => {
    const spread = spreadOf(side.perSecond)
    return [
      `${side.engine}, ${names[side.what]}`,
      spreadFigure(spread),
      figure((spread.median * observationBytes) / 1e6),
      ratio(spread.median, copyOf(sides, side.engine, 'copy')?.median),
      ratio(spread.median, copyOf(sides, side.engine, 'copyKeyed')?.median),
      side.cpuMicros.length === 0 ? '–' : figure(spreadOf(side.cpuMicros).median),
    ]
  }),
)}

- ${plan.rounds} rounds of ${figure(plan.observations)} observations for each side, in turns; median (lowest–highest). Each comparator has a database of its own and took ${figure(plan.warmUpObservations)} observations as a warm-up.
- “CPU an observation” is the comparator process's own, which includes PGlite if that is embedded.
- \`worst\` keeps every observation's row and the bodies of the worst; \`all\` keeps every body too.${measured.server === undefined ? '\n- There was no PostgreSQL server: set `DATABASE_URL` to measure one.' : `\n- ${measured.server}, as it is configured, with its own durability.`}

To reproduce: \`npm ci && npx node bench/run.ts intake\` (with \`DATABASE_URL\` for a server other than postgres@127.0.0.1:5432); with \`--quick\` it prints the page after one short round. Use an idle machine.
`
  return { markdown, broken: [] }
}

function copyOf(sides: readonly IntakeSide[], engine: Engine, table: CopyTable): Spread | undefined {
  const side = sides.find((one) => one.engine === engine && one.what === table)
  return side && spreadOf(side.perSecond)
}

function inShort(sides: readonly IntakeSide[]): string {
  const rates = sides
    .filter(({ what }) => what === 'worst')
    .map(({ engine, perSecond }) => `${figure(spreadOf(perSecond).median)} on ${engine}`)
  return `Observations a second with the default \`store.bodies: worst\`: ${rates.join(', ')}.`
}

function goalsTable(sides: readonly IntakeSide[]): string {
  const rows = sides
    .filter(({ what }) => what === 'worst' || what === 'all')
    .flatMap((side) => {
      const { median } = spreadOf(side.perSecond)
      const shareOf = (table: CopyTable) => median / (copyOf(sides, side.engine, table)?.median ?? Number.NaN)
      const name = `${side.engine}, bodies ${side.what}`
      return [
        [
          `${name}: ≥ ${figure(goals.observationsPerSecond)} observations/s`,
          figure(median),
          met(median >= goals.observationsPerSecond),
        ],
        [
          `${name}: ≥ ${goals.shareOfCopy} × bare \`COPY\` of documents under their ids`,
          `${ratio(shareOf('copyKeyed'), 1)}; ${ratio(shareOf('copy'), 1)} of text without an index`,
          met(shareOf('copyKeyed') >= goals.shareOfCopy),
        ],
      ]
    })
  return markdownTable(['goal', 'measured', 'met'], rows)
}
