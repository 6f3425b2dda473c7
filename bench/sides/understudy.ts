import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { path } from '../load/payload.ts'
import type { Children } from '../processes/children.ts'
import { freePort, untilListening } from '../processes/free-port.ts'
import { type LedgerAccount, type Side, shadowDeadlineMs } from './side.ts'

interface UnderstudyOptions {
  name: string
  directory: string
  cpus: string | undefined
  primary: number
  candidate: number
  comparator: number
  /** Share of the requests that are mirrored, from 0 to 1. */
  share: number
  forwarder: 'wire' | 'http-proxy-3'
}

export interface UnderstudySide extends Side {
  pid: number
  ledger: () => Promise<LedgerAccount>
  adminUrl: string
}

const validation = 'bench'
const upMs = 20_000
const cli = join(import.meta.dirname, '../../cli/understudy.ts')

/** Our mirror as a user starts it, with default config except for the shadow's deadline and the body limits. */
export async function startUnderstudy(children: Children, options: UnderstudyOptions): Promise<UnderstudySide> {
  const { name } = options
  const home = join(options.directory, name)
  mkdirSync(home)
  const port = await freePort()
  const admin = await freePort()
  const file = join(home, 'mirror.yaml')
  writeFileSync(file, stringify({ mirror: mirrorConfig(port, admin, home, options) }))
  const child = children.start({
    name,
    command: process.execPath,
    args: [cli, 'mirror', '--config', file],
    cpus: options.cpus,
    env: { LOG_LEVEL: 'info' },
  })
  await untilListening(port, upMs, () => children.assertRunning(child, name))
  const adminUrl = `http://127.0.0.1:${admin}`
  return {
    name,
    port,
    pid: child.pid!,
    countedAtCandidate: false,
    ledger: () => readLedger(`${adminUrl}/ledger`),
    adminUrl,
  }
}

function mirrorConfig(port: number, admin: number, home: string, options: UnderstudyOptions) {
  const local = (at: number) => `http://127.0.0.1:${at}`
  const { primary, candidate, comparator, share, forwarder } = options
  const deadline = `${shadowDeadlineMs}ms`
  return {
    listen: `127.0.0.1:${port}`,
    admin: `127.0.0.1:${admin}`,
    primary: local(primary),
    forwarder,
    comparator: { url: local(comparator), token: 'bench' },
    routes: [{ path, candidates: [{ validation, url: local(candidate), share, deadline }] }],
    spool: { dir: join(home, 'spool') },
    // so that the benches' largest bodies are mirrored too, as nginx does
    capture: { bodyMax: '8MiB', memoryMax: '512MiB' },
  }
}

async function readLedger(url: string): Promise<LedgerAccount> {
  const response = await fetch(url)
  const { validations } = (await response.json()) as { validations: Record<string, LedgerAccount> }
  return validations[validation]!
}
