import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Children } from '../processes/children.ts'
import { cpuSeconds } from '../processes/cpu-time.ts'
import { freePort, untilListening } from '../processes/free-port.ts'
import { validationOf } from './observations.ts'
import { connections, perBundle } from './plan.ts'

const upMs = 30_000
const noticeMs = 1_000
const token = 'bench'
const cli = join(import.meta.dirname, '../../cli/understudy.ts')

interface Taken {
  seconds: number
  /** The comparator process only; undefined if there is no /proc. */
  cpuSeconds: number | undefined
}

export interface ComparatorSide {
  /** Delivers observations as a mirror does; resolves once all are accepted. */
  take(lines: readonly string[]): Promise<Taken>
  stop(): Promise<void>
}

/** A comparator on one CPU, as a user starts it, with everything it does to an observation. */
export async function startComparatorSide(
  children: Children,
  options: { name: string; directory: string; database: string; bodies: 'worst' | 'all'; cpus: string | undefined },
): Promise<ComparatorSide> {
  const { name } = options
  const port = await freePort()
  const file = join(options.directory, `${name}.json`)
  const sha256 = createHash('sha256').update(token).digest('hex')
  const section = {
    listen: `127.0.0.1:${port}`,
    database: options.database,
    tokens: [{ name: 'bench', role: 'ingest', sha256 }],
    validations: [validationOf(options.bodies)],
  }
  writeFileSync(file, JSON.stringify({ comparator: section }))
  const child = children.start({
    name,
    command: process.execPath,
    args: [cli, 'comparator', '--config', file],
    cpus: options.cpus,
    env: { LOG_LEVEL: 'warn' },
  })
  await untilListening(port, upMs, () => children.assertRunning(child, name))
  const url = `http://127.0.0.1:${port}/v1/observations`
  return {
    async take(lines) {
      const bundles = bundlesOf(lines)
      // the comparator may have closed idle connections meanwhile; this gives the client time to notice
      await sleep(noticeMs)
      const [before, startedAt] = [cpuSeconds(child.pid!), performance.now()]
      let next = 0
      const deliver = async () => {
        while (next < bundles.length) await post(url, bundles[next++]!)
      }
      await Promise.all(Array.from({ length: connections }, deliver))
      const [after, endedAt] = [cpuSeconds(child.pid!), performance.now()]
      const used = after === undefined || before === undefined ? undefined : after - before
      return { seconds: (endedAt - startedAt) / 1000, cpuSeconds: used }
    },
    async stop() {
      const left = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await left
    },
  }
}

interface Bundle {
  body: string
  count: number
}

function bundlesOf(lines: readonly string[]): Bundle[] {
  const bundles: Bundle[] = []
  for (let at = 0; at < lines.length; at += perBundle) {
    const some = lines.slice(at, at + perBundle)
    bundles.push({ body: `{"observations":[${some.join(',')}]}`, count: some.length })
  }
  return bundles
}

async function post(url: string, { body, count }: Bundle): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  if (response.status !== 202) throw new Error(`the comparator answered ${response.status}: ${text.slice(0, 200)}`)
  const { accepted } = JSON.parse(text) as { accepted: number }
  if (accepted !== count) throw new Error(`the comparator accepted ${accepted} of ${count}: ${text.slice(0, 300)}`)
}
