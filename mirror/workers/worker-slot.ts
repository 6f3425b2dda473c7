import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../runtime/logger.ts'
import type { CoverageReport } from '../../vocabulary/coverage.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { Backoff } from '../comparator-client/backoff.ts'
import type { MirrorConfig } from '../config.ts'
import { leaveReports } from '../delivery/coverage-file.ts'
import { spoolDirOf } from '../delivery/spool-dir.ts'
import { inTime } from '../disk.ts'
import type { Resumed } from '../ledger/resumed.ts'
import { pause } from '../pause.ts'
import type { QuietState } from '../routing/quiet-routes.ts'
import { keepCounters, type MetricsJson } from './merge-metrics.ts'
import type { FromWorker, Reply, ToWorker, WorkerState } from './messages.ts'
import { shareConfig } from './share-config.ts'
import type { GiveResult, PortWorker } from './shared-port.ts'
import { WorkerLedger } from './worker-ledger.ts'

const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

const reportLimitMs: Milliseconds = 1000
const lastWordMs: Milliseconds = 200
const reloadLimitMs: Milliseconds = 10_000
/** Longer, because a worker that was replaced meanwhile must prepare the config first. */
const applyLimitMs: Milliseconds = 2 * reloadLimitMs
/** A worker that lived this long did not die of its start. */
const stableMs: Milliseconds = 30_000

interface SlotOptions {
  number: number
  /** The whole mirror's config now in force. */
  config: () => MirrorConfig
  logger: Logger
  /** Called when it may take another connection. */
  free: () => void
  died: () => void
}

/**
 * The place of one worker, filled by one process after another. It keeps what they counted.
 *
 *     starting ──▶ up ──died──▶ waiting (backing off) ──▶ starting …
 *     any of them ──stop──▶ leaving
 *
 * If the first start fails, it is not retried.
 */
export class WorkerSlot implements PortWorker {
  readonly ledger = new WorkerLedger()
  readonly #options: SlotOptions
  readonly #leaving = new AbortController()
  readonly #backoff = new Backoff()
  readonly #calls = new Map<number, (reply: Reply) => void>()
  #callsMade = 0
  #worker: ChildProcess | undefined
  /** Settles the connection that is being given. */
  #given: ((result: GiveResult) => void) | undefined
  #hadLast = true
  /** Settles once the process has ended and its last message was heard. */
  #gone: Promise<unknown> = Promise.resolve()
  #isUp = false
  #upSince = 0
  #wasUp = false
  #wasCut = false
  /** The config that the process was started with or has applied since. */
  #config: MirrorConfig | undefined
  #state: WorkerState | undefined
  #endedMetrics: MetricsJson = []
  /** The coverage reports that the last process may not have sent, for a successor. */
  #coverage: readonly CoverageReport[] = []
  #quiet: { heardAt: number; state: readonly QuietState[] } = { heardAt: 0, state: [] }

  constructor(options: SlotOptions) {
    this.#options = options
  }

  get isUp(): boolean {
    return this.#isUp
  }

  get pid(): number | undefined {
    return this.#worker?.pid
  }

  /** The state of the process that is up, at most a second old. */
  get state(): WorkerState | undefined {
    return this.#isUp ? this.#state : undefined
  }

  /** The metrics of all processes so far. */
  get metrics(): MetricsJson[] {
    return this.state ? [this.#endedMetrics, this.state.metrics] : [this.#endedMetrics]
  }

  /** Whether one of the processes ended abnormally after it was told to stop. */
  get wasCut(): boolean {
    return this.#wasCut
  }

  get isFree(): boolean {
    return this.#isUp && this.#given === undefined && this.#worker!.connected
  }

  give(connection: Socket): Promise<GiveResult> {
    const worker = this.#worker!
    return new Promise((resolve) => {
      this.#given = resolve
      // kept open here until it has arrived: if the worker dies before, nobody else would close it
      worker.send({ kind: 'connection' } satisfies ToWorker, connection, { keepOpen: true })
      // a worker at its limit of open files loses the connection and Node tells neither side, but this next message
      // arrives
      worker.send({ kind: 'confirm' } satisfies ToWorker, (error) => {
        if (error && this.#worker === worker) this.#settle('lost')
      })
    })
  }

  /** Resolves once the worker serves. Rejects if it can't start. */
  start(): Promise<void> {
    const { config, number } = this.#options
    this.#config = config()
    const start = {
      kind: 'start',
      config: shareConfig(this.#config, number),
      number,
      quiet: this.#quietNow(),
      coverage: this.#coverage,
    } as const
    const worker = fork(script, { serialization: 'advanced' })
    this.#worker = worker
    let problem: string | undefined
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'hello') worker.send(start satisfies ToWorker)
        else if (message.kind === 'startFailed') problem = message.problem
        else if (message.kind === 'up') {
          this.#up(message.resumed)
          resolve()
        } else if (message.kind === 'confirmed') this.#confirmed(message.hasArrived)
        else this.#hear(message)
      })
      worker.on('error', (err) => this.#options.logger.warn({ err, worker: number }, 'a worker could not be notified'))
      this.#gone = endOf(worker).then(({ code, signal }) => {
        reject(new Error(problem ?? `worker ${number} ended (${signal ?? code}) before it was up`))
        return this.#ended(code, signal)
      })
    })
  }

  /** Asks the worker to report its state; false if it does not in time. */
  report(): Promise<boolean> {
    if (!this.#isUp) return Promise.resolve(false)
    return this.#call({ kind: 'report' }, reportLimitMs).then(
      () => true,
      () => false,
    )
  }

  /**
   * Rejects if the worker can't prepare the config. A worker that is not up will start with the config in force then.
   */
  async prepare(config: MirrorConfig): Promise<void> {
    if (!this.#isUp) return
    const worker = this.#worker
    try {
      await this.#call({ kind: 'prepare', config: shareConfig(config, this.#options.number) }, reloadLimitMs)
    } catch (error) {
      if (this.#worker === worker && this.#isUp) throw error
    }
  }

  /** Also called for a worker that was late, as it may still become ready. Not awaited, since it may be late again. */
  discard(): void {
    if (this.#isUp) void this.#call({ kind: 'discard' }, reloadLimitMs).catch(() => {})
  }

  /** Applies the config. A worker that does not follow is killed: its successor starts with what is in force. */
  async putInForce(config: MirrorConfig): Promise<void> {
    if (!this.#isUp || this.#config === config) return
    const worker = this.#worker
    try {
      await this.#call({ kind: 'apply', config: shareConfig(config, this.#options.number) }, applyLimitMs)
      this.#config = config
    } catch (err) {
      if (this.#leaving.signal.aborted || this.#worker !== worker || !this.#isUp) return
      this.#options.logger.error({ err, worker: this.#options.number }, 'a worker did not reload; replacing it')
      this.kill()
    }
  }

  kill(): void {
    this.#worker?.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    this.#leaving.abort()
    this.requestStop()
    await this.#gone
    await this.#leaveReports()
  }

  /** A worker that is told a second time leaves at once. */
  requestStop(): void {
    if (this.#worker?.connected) this.#worker.send({ kind: 'stop' } satisfies ToWorker)
  }

  #up(resumed: Resumed): void {
    this.#isUp = true
    this.#upSince = performance.now()
    this.ledger.succeeded(resumed)
    if (this.#wasUp) {
      this.#options.logger.info({ worker: this.#options.number, workerPid: this.pid }, 'a worker was replaced')
    }
    this.#wasUp = true
    void this.putInForce(this.#options.config())
    this.#options.free()
  }

  #confirmed(hasArrived: boolean): void {
    // logged once for several in a row
    if (!hasArrived && this.#hadLast) {
      const { logger, number } = this.#options
      const what = 'a connection did not reach a worker, which may be at its limit of open files; handing it over again'
      logger.warn({ worker: number, workerPid: this.pid }, what)
    }
    this.#hadLast = hasArrived
    this.#settle(hasArrived ? 'taken' : 'notArrived')
  }

  #settle(result: GiveResult): void {
    this.#given?.(result)
    this.#given = undefined
  }

  #hear(message: Exclude<FromWorker, { kind: 'hello' | 'startFailed' | 'up' | 'confirmed' }>): void {
    switch (message.kind) {
      case 'accounts':
        this.ledger.hear(message.accounts, message.resumed)
        this.#coverage = message.coverage
        break
      case 'state':
        this.#state = message.state
        this.#quiet = { heardAt: performance.now(), state: message.state.quiet }
        this.ledger.hear(message.state.accounts, message.state.resumed)
        break
      case 'reply':
        this.#calls.get(message.id)?.(message)
    }
  }

  #quietNow(): QuietState[] {
    const { heardAt, state } = this.#quiet
    const passedMs = performance.now() - heardAt
    return state.map((route) => ({ ...route, quietForMs: route.quietForMs + passedMs }))
  }

  async #ended(code: number | null, signal: string | null): Promise<void> {
    const { number, logger, died } = this.#options
    const pid = this.pid
    const metrics = this.#state ? [this.#endedMetrics, this.#state.metrics] : [this.#endedMetrics]
    if (this.#isUp && performance.now() - this.#upSince >= stableMs) this.#backoff.reset()
    this.#worker = undefined
    const served = this.#isUp
    this.#isUp = false
    this.#state = undefined
    this.#settle('lost')
    for (const [id, answer] of this.#calls) answer({ kind: 'reply', id, problem: 'the worker is gone' })
    this.#endedMetrics = await keepCounters(metrics)
    if (this.#leaving.signal.aborted) {
      if (code !== 0) this.#wasCut = true
      // one that hears of the stop before its start has sent and kept nothing
      else if (served) this.#coverage = []
      return
    }
    if (!this.#wasUp) return
    died()
    const pauseMs = Math.round(this.#backoff.nextMs())
    logger.error(
      { worker: number, workerPid: pid, code, signal, pauseMs },
      'a worker died; what it had in flight is lost',
    )
    void this.#replace(pauseMs)
  }

  async #replace(pauseMs: Milliseconds): Promise<void> {
    await pause(pauseMs, this.#leaving.signal)
    // failures are handled in `#ended`
    if (!this.#leaving.signal.aborted) await this.start().catch(() => {})
  }

  /** For the next start, where no process was left that could send or keep them. */
  async #leaveReports(): Promise<void> {
    if (this.#coverage.length === 0) return
    const { config, logger, number } = this.#options
    await inTime(leaveReports(spoolDirOf(config().spool.dir, number), this.#coverage)).catch((err) =>
      logger.error(
        { err, worker: number },
        'coverage counts of a worker are lost: they could be neither sent nor kept',
      ),
    )
  }

  async #call(message: { kind: string; config?: MirrorConfig }, limitMs: Milliseconds): Promise<void> {
    const id = ++this.#callsMade
    const reply = await new Promise<Reply>((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'reply', id, problem: `no answer within ${limitMs} ms` }), limitMs)
      this.#calls.set(id, (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      if (this.#worker?.connected) this.#worker.send({ ...message, id } as ToWorker)
      else this.#calls.get(id)!({ kind: 'reply', id, problem: 'the worker is gone' })
    })
    this.#calls.delete(id)
    if (reply.problem !== undefined) throw new Error(`worker ${this.#options.number}: ${reply.problem}`)
  }
}

interface End {
  code: number | null
  signal: string | null
}

/** Resolves when the process has ended and its last message was heard, which may come after 'exit'. */
async function endOf(worker: ChildProcess): Promise<End> {
  // the system could not create another process
  if (worker.pid === undefined) return { code: null, signal: null }
  const disconnected = new Promise<void>((resolve) => worker.once('disconnect', resolve))
  const end = await new Promise<End>((resolve) => worker.once('exit', (code, signal) => resolve({ code, signal })))
  // 'disconnect' never comes if the worker died before it took an offered connection
  await Promise.race([disconnected, sleep(lastWordMs)])
  return end
}
