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
import { writeSection } from './page.ts'
import { Children } from './processes/children.ts'
import { serving } from './serving.ts'
import { soak } from './soak.ts'

/**
 * `node bench/run.ts [NAME…] [--quick] [--minutes N] [--only TEXT]`: runs the benches named, or all, and writes
 * docs/benchmarks.md. With `--quick`, and with `--only` (the faults whose names contain it), it prints instead.
 */
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

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, minutes: { type: 'string' }, only: { type: 'string' } },
})
const { quick = false, only } = values
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
if (minutes !== undefined && !(minutes > 0)) {
  process.stderr.write(`--minutes ${values.minutes}: expected a number above 0\n`)
  process.exit(2)
}
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there is ${benches.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}

for (const bench of benches) {
  if (positionals.length === 0 || positionals.includes(bench.name)) await runOne(bench)
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
    // what fails because its processes were ended is no failure
    if (!interrupted) throw error
  } finally {
    await children.endAll()
    cleanUp()
    process.off('exit', cleanUp)
    process.off('SIGINT', leave)
    process.off('SIGTERM', leave)
  }
}
