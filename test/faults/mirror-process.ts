import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePorts } from '../../runtime/testing/free-ports.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { ended } from '../support/command.ts'

const understudy = join(import.meta.dirname, '../../cli/understudy.ts')

/** One validation of `/ledger`. */
export interface Account {
  seen: number
  delivered: number
  pending: number
  skipped: Record<string, number>
}

/** `understudy mirror --config FILE`, seen from outside: its ports and admin pages. */
export class MirrorProcess {
  readonly url: string
  readonly port: number
  readonly #adminUrl: string
  readonly #child: ChildProcess
  #log = ''

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
    this.url = `http://127.0.0.1:${port}`
    this.#adminUrl = `http://127.0.0.1:${port + 1}`
    child.stderr!.on('data', (text) => {
      this.#log += text
    })
  }

  /** `within`: a prefix for the mirror's command. */
  static async start(directory: string, section: object, within: readonly string[] = []): Promise<MirrorProcess> {
    const port = await freePorts(2)
    const file = join(directory, 'mirror.yaml')
    const listen = { listen: `127.0.0.1:${port}`, admin: `127.0.0.1:${port + 1}` }
    writeFileSync(file, stringify({ mirror: { ...listen, ...section } }))
    const [command, ...args] = [...within, process.execPath, understudy, 'mirror', '--config', file]
    const env = { ...process.env, LOG_LEVEL: 'error' }
    // a closed channel tells the mirror that the test run was killed
    const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', 'ipc']
    const mirror = new MirrorProcess(spawn(command!, args, { env, stdio }), port)
    const isReady = async () => {
      mirror.assertRunning()
      const response = await fetch(`${mirror.#adminUrl}/readyz`).catch(() => undefined)
      return response?.ok ?? false
    }
    await waitFor('the mirror to be ready', isReady)
    return mirror
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Throws with the log if the process has ended: nothing restarts it. */
  assertRunning(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null)
      throw new Error(`the mirror ended:\n${this.#log}`)
  }

  async ledger(): Promise<Record<string, Account>> {
    return ((await this.page('/ledger').then(JSON.parse)) as { validations: Record<string, Account> }).validations
  }

  /** Value of a metric without labels. */
  async metric(name: string): Promise<number> {
    const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(await this.page('/metrics'))
    if (!line) throw new Error(`there is no metric ${name}`)
    return Number(line[1])
  }

  async page(path: string): Promise<string> {
    this.assertRunning()
    // on a machine that stalls, the mirror may end an idle connection just as it is used again
    const response = await fetch(this.#adminUrl + path, { headers: { connection: 'close' } })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.text()
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await ended(this.#child)
  }
}
