/**
 * One instance: a place on its own cores for as long as its model is served, and one process after another in it.
 *
 * Modes: `starting` (process spawned, model loading) → `idle` ⇄ `busy` (a batch inside, and at times the next one); a
 * process that ends by itself puts it into `restarting` (waiting for its backoff) → `starting` on the same cores;
 * `stopped` is final. All changes go through `#enter`. Restarts come faster than `steadyMs` apart only `loopCrashes` times before the
 * instance counts as looping, and until it has been up for `steadyMs`.
 *
 * A process that has run `recycleAfter` batches or is over `rssBytesMax` gets a successor, which loads beside it on
 * the same cores and takes its place between two batches.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Bytes, EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { ModelInstance } from '../cpu/plan-models.ts'
import { type Affinity, verifyAffinity } from './affinity.ts'
import { type Allocator, isPreloaded } from './allocator.ts'
import { runsInsideMax } from './exchange-file.ts'
import { InstanceProcess, type RunResult } from './instance-process.ts'
import type { Launcher } from './launcher.ts'
import type { LoadedModel, LoadRequest } from './messages.ts'
import type { TensorParts } from './wire-tensors.ts'

export type { RunResult } from './instance-process.ts'
export type InstanceMode = 'starting' | 'idle' | 'busy' | 'restarting' | 'stopped'

export interface InstanceOptions {
  placed: ModelInstance
  load: Omit<LoadRequest, 'exchange'>
  launcher: Launcher
  allocator: Allocator
  hugePages: boolean
  startTimeoutMs: Milliseconds
  /** A run cannot be interrupted, so an instance that takes longer is ended, and comes back. */
  runTimeoutMs: Milliseconds
  /** Runs of one process; none where left out. */
  recycleAfter?: number | undefined
  rssBytesMax?: Bytes | undefined
  clock: Clock
  logger: Logger
  /** Called whenever the instance may have become free, or stopped being so. */
  onChange: () => void
}

const backoffMinMs = 100
const backoffMaxMs = 10_000
const steadyMs = 10_000
const loopCrashes = 3
/** What waits inside an instance can neither expire nor leave nor be overtaken, so it must not wait for long there. */
const aheadRunMsMax = 100

const allowed: Record<InstanceMode, InstanceMode[]> = {
  starting: ['idle', 'restarting', 'stopped'],
  idle: ['busy', 'restarting', 'stopped'],
  busy: ['idle', 'restarting', 'stopped'],
  restarting: ['starting', 'stopped'],
  stopped: [],
}

export class PinnedInstance {
  readonly placed: ModelInstance
  readonly #options: InstanceOptions
  #mode: InstanceMode = 'starting'
  #process: InstanceProcess | undefined
  #successor: { process: InstanceProcess; loaded: boolean } | undefined
  #model: LoadedModel | undefined
  #affinity: Affinity = { kind: 'unknown' }
  #allocatorConfirmed = false
  #runs = 0
  #restarts = 0
  #recycles = 0
  #rssBytes: Bytes = 0
  #busySince: EpochMs = 0
  #lastRunMs: Milliseconds = Number.POSITIVE_INFINITY
  #crashesInARow = 0
  #upSince = 0
  #recycleNotBefore = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: InstanceOptions) {
    this.placed = options.placed
    this.#options = options
  }

  get mode(): InstanceMode {
    return this.#mode
  }
  /** `undefined` while there is no process. */
  get pid(): number | undefined {
    return this.#process?.pid
  }
  get affinity(): Affinity {
    return this.#affinity
  }
  get launcher(): Launcher {
    return this.#options.launcher
  }
  get restarts(): number {
    return this.#restarts
  }
  get recycles(): number {
    return this.#recycles
  }
  /** As of its last run; 0 before the first. */
  get rssBytes(): Bytes {
    return this.#rssBytes
  }
  get allocatorConfirmed(): boolean {
    return this.#allocatorConfirmed
  }
  /** Whether the next batch may be sent now, for the process to begin with as soon as it is done with its own. */
  get takesAhead(): boolean {
    const { inside = 0 } = this.#process ?? {}
    // one that never became idle would never be succeeded
    const isFollowed = this.#successor?.loaded === true
    return this.#mode === 'busy' && inside < runsInsideMax && this.#lastRunMs <= aheadRunMsMax && !isFollowed
  }
  /** When its run is likely to end; for one that is busy. */
  get freeAt(): EpochMs {
    return this.#busySince + this.#lastRunMs
  }
  /** Up, and not in a crash loop. */
  get serving(): boolean {
    const up = this.#mode === 'idle' || this.#mode === 'busy'
    return up && (this.#crashesInARow < loopCrashes || this.#options.clock.monotonic() - this.#upSince >= steadyMs)
  }

  /** The first start. Rejects with an error that says what to do where the model cannot be loaded. */
  async start(): Promise<LoadedModel> {
    const model = await this.#launch()
    this.#model = model
    return model
  }

  /** Takes an instance that is idle or `takesAhead`. */
  async run(inputs: Record<string, TensorParts>): Promise<RunResult> {
    if (this.#mode !== 'busy') this.#enter('busy')
    const process = this.#process!
    const { clock } = this.#options
    if (process.inside === 0) this.#busySince = clock.monotonic()
    const result = await process.run(inputs)
    this.#busySince = clock.monotonic()
    this.#runs++
    if (result.kind === 'done') {
      this.#rssBytes = result.rssBytes
      this.#lastRunMs = result.inferMs
    }
    if (this.#mode === 'busy' && process === this.#process && result.kind !== 'lost' && result.kind !== 'notRun') {
      if (process.inside === 0) this.#enter('idle')
      this.#succeed()
      this.#recycleIfDue()
      this.#options.onChange()
    }
    return result
  }

  async stop(): Promise<void> {
    if (this.#mode === 'stopped') return
    this.#enter('stopped')
    clearTimeout(this.#timer)
    await Promise.all([this.#process?.stop(), this.#successor?.process.stop()])
  }

  #enter(mode: InstanceMode): void {
    if (!allowed[this.#mode].includes(mode)) throw new Error(`an instance cannot go from ${this.#mode} to ${mode}`)
    this.#mode = mode
  }

  #spawn(): InstanceProcess {
    const { placed, ...options } = this.#options
    return new InstanceProcess({ ...options, model: placed.model })
  }

  async #launch(): Promise<LoadedModel> {
    const process = this.#spawn()
    this.#process = process
    process.ended.then((reason) => this.#ended(process, reason))
    const model = await process.load()
    this.#assertSameModel(model)
    if (this.#mode !== 'starting') return model
    this.#take(process)
    this.#enter('idle')
    this.#options.onChange()
    return model
  }

  /** A process with its model loaded becomes the one that runs. */
  #take(process: InstanceProcess): void {
    const { placed, allocator, launcher, clock, logger } = this.#options
    this.#process = process
    this.#runs = 0
    this.#upSince = clock.monotonic()
    this.#affinity = launcher.kind === 'unpinned' ? { kind: 'unknown' } : verifyAffinity(process.pid!, placed.cpus)
    this.#allocatorConfirmed = allocator.kind === 'preloaded' && isPreloaded(process.pid!, allocator.path)
    if (allocator.kind === 'preloaded' && !this.#allocatorConfirmed) {
      logger.warn({ model: placed.model, ...allocator }, 'the allocator could not be preloaded')
    }
  }

  /** A file that was replaced under a running server must not answer under the old digest. */
  #assertSameModel(model: LoadedModel): void {
    if (this.#model !== undefined && this.#model.digest !== model.digest) {
      throw new Error(
        `${this.#options.load.path} has changed since it was loaded; reload the server (SIGHUP) to serve it`,
      )
    }
  }

  #ended(process: InstanceProcess, reason: string): void {
    if (process !== this.#process) return
    this.#process = undefined
    // before its first model is there, whoever called `start` gets the error instead
    if (this.#mode === 'stopped' || this.#model === undefined) return
    this.#backOff(reason, process.pid)
  }

  #backOff(reason: string, pid: number | undefined): void {
    const { clock, logger, placed } = this.#options
    const wasSteady = this.#mode !== 'starting' && clock.monotonic() - this.#upSince >= steadyMs
    this.#crashesInARow = wasSteady ? 1 : this.#crashesInARow + 1
    this.#enter('restarting')
    const backoffMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** (this.#crashesInARow - 1))
    logger.error({ model: placed.model, cpus: placed.cpus, pid, reason, backoffMs }, 'an instance ended')
    this.#timer = setTimeout(() => this.#restart(), backoffMs)
    this.#options.onChange()
  }

  #restart(): void {
    const { logger, placed } = this.#options
    this.#restarts++
    this.#enter('starting')
    this.#launch().then(
      () => logger.info({ model: placed.model, cpus: placed.cpus, pid: this.pid }, 'an instance is back'),
      (error: unknown) => {
        logger.error({ model: placed.model, err: error }, 'an instance could not be restarted')
        if (this.#process) this.#process.kill()
        // a process that could not even be made has no exit to report
        else if (this.#mode === 'starting') this.#backOff('could not be made', undefined)
      },
    )
  }

  #recycleIfDue(): void {
    const { recycleAfter, rssBytesMax, clock } = this.#options
    const worn = recycleAfter !== undefined && this.#runs >= recycleAfter
    const swollen = rssBytesMax !== undefined && this.#rssBytes > rssBytesMax
    if ((!worn && !swollen) || this.#successor || clock.monotonic() < this.#recycleNotBefore) return
    void this.#raiseSuccessor(worn ? 'limits.recycleAfter' : 'limits.rssMax')
  }

  async #raiseSuccessor(limit: string): Promise<void> {
    const { logger, placed, clock } = this.#options
    // a limit that even a fresh process is over must not keep the cores busy with loading
    this.#recycleNotBefore = clock.monotonic() + steadyMs
    let process: InstanceProcess | undefined
    try {
      process = this.#spawn()
      const successor = { process, loaded: false }
      this.#successor = successor
      this.#assertSameModel(await process.load())
      logger.info({ model: placed.model, pid: this.pid, limit, rssBytes: this.#rssBytes }, 'an instance is recycled')
      successor.loaded = true
      this.#succeed()
    } catch (error) {
      this.#successor = undefined
      process?.kill()
      if (this.#mode !== 'stopped') {
        logger.error({ model: placed.model, err: error }, 'an instance could not be recycled and goes on as it is')
      }
    }
  }

  /** Between two batches only. */
  #succeed(): void {
    const successor = this.#successor
    if (!successor?.loaded || this.#mode !== 'idle') return
    const predecessor = this.#process!
    this.#successor = undefined
    this.#take(successor.process)
    successor.process.ended.then((reason) => this.#ended(successor.process, reason))
    this.#recycles++
    void predecessor.stop()
  }
}
