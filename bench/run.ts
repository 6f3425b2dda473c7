import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench } from './bench.ts'
import { copies } from './copies.ts'
import { dashboard } from './dashboard.ts'
import { faultsBench } from './faults.ts'
import { gate } from './gate.ts'
import { intake } from './intake.ts'
import { ladderBench } from './ladder.ts'
import { mirrorOverhead } from './mirror-overhead.ts'
import { Children } from './processes/children.ts'
import { writeSection } from './report/page.ts'
import { serving } from './serving.ts'
import { soak } from './soak.ts'

const benches: readonly Bench[] = [
  mirrorOverhead,
  faultsBench,
  soak,
  serving,
  copies,
  ladderBench,
  intake,
  gate,
  dashboard,
]

const names = benches.map(({ name }) => name)
const usage = `node bench/run.ts [NAME…] [--quick] [--minutes N] [--only TEXT]

Runs the named benches, or all, and writes docs/benchmarks.md. Benches: ${names.join(', ')}.

  --quick       short rounds, to see that a bench works; prints the section instead of writing it
  --minutes N   how long soak runs
  --only TEXT   for faults, ladder and serving: only what has TEXT, or one of several comma-separated texts, in its name;
                prints instead of writing
`
const { positionals, values } = asked()
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const { quick = false, only } = values
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
if (minutes !== undefined && !(minutes > 0)) refuse(`--minutes ${values.minutes}: expected a number above 0`)
const unknown = positionals.filter((name) => !names.includes(name))
if (unknown.length > 0) refuse(`no bench ${unknown.join(', ')}`)

for (const bench of benches) {
  if (positionals.length === 0 || positionals.includes(bench.name)) await runOne(bench)
}

function asked() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean' },
        minutes: { type: 'string' },
        only: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n\n${usage}`)
  process.exit(2)
}

async function runOne(bench: Bench): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), `understudy-bench-${bench.name}-`))
  const children = new Children(directory)
  let interrupted = false
  const leave = () => {
    interrupted = true
    children.endAll().finally(() => process.exit(130))
  }
  const cleanUp = () => {
    children.signalAll('SIGTERM')
    rmSync(directory, { recursive: true, force: true })
  }
  process.on('SIGINT', leave)
  process.on('SIGTERM', leave)
  process.on('exit', cleanUp)
  try {
    const progress = (line: string) => process.stderr.write(`${line}\n`)
    const { markdown, broken } = await bench.run({ children, directory, quick, minutes, only, progress })
    if (quick || only !== undefined) process.stdout.write(`${markdown}\n`)
    else progress(`wrote ${writeSection(bench.name, markdown)}`)
    for (const sentence of broken) process.stderr.write(`BROKEN: ${sentence}\n`)
    if (broken.length > 0) process.exitCode = 1
  } catch (error) {
    // after an interrupt, failures are caused by the ended processes
    if (!interrupted) throw error
  } finally {
    await children.endAll()
    cleanUp()
    process.off('exit', cleanUp)
    process.off('SIGINT', leave)
    process.off('SIGTERM', leave)
  }
}
