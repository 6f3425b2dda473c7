import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Children } from '../processes/children.ts'
import { freePort, untilListening } from '../processes/free-port.ts'
import type { LedgerAccount, Side } from '../sides/side.ts'

export const validation = 'bench'
const upMs = 20_000
const cli = join(import.meta.dirname, '../../cli/understudy.ts')

interface MirrorOptions {
  name: string
  directory: string
  cpus: string | undefined
  /** Config in addition to addresses and spool. */
  section: object
  /** A command prefix for the mirror, given its spool directory. */
  within?: ((spool: string) => string[]) | undefined
}

export interface MirrorSide extends Side {
  ledger: () => Promise<LedgerAccount>
  process: ChildProcess
}

/** The mirror as a user starts it. */
export async function startMirror(children: Children, options: MirrorOptions): Promise<MirrorSide> {
  const { name, section, within } = options
  const home = mkdtempSync(join(options.directory, `${name}-`))
  const spool = mkdtempSync(join(home, 'spool-'))
  const [port, admin] = [await freePort(), await freePort()]
  const file = join(home, 'mirror.yaml')
  const addresses = { listen: `127.0.0.1:${port}`, admin: `127.0.0.1:${admin}` }
  writeFileSync(file, stringify({ mirror: { ...addresses, spool: { dir: spool }, ...section } }))
  const [command, ...args] = [...(within?.(spool) ?? []), process.execPath, cli, 'mirror', '--config', file]
  const child = children.start({ name, command: command!, args, cpus: options.cpus, env: { LOG_LEVEL: 'fatal' } })
  await untilListening(port, upMs, () => children.assertRunning(child, name))
  const ledger = async () => {
    const response = await fetch(`http://127.0.0.1:${admin}/ledger`)
    const { validations } = (await response.json()) as { validations: Record<string, LedgerAccount> }
    return validations[validation]!
  }
  return { name, port, pid: child.pid, countedAtCandidate: false, ledger, process: child }
}
