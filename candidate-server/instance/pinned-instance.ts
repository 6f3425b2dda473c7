/**
 * One instance: a set of cores, kept for as long as the model is served, with one process after another running on it.
 *
 * Modes: `starting` (process spawned, model loading) → `idle` ⇄ `busy` (one batch inside, sometimes the next one too).
 * If the process ends by itself: `restarting` (waiting out its backoff) → `starting` on the same cores. `stopped` is
 * final. A process that is to be recycled gets a successor, which loads beside it and replaces it between two batches.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Bytes, Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'
import { type Affinity, type KeptAffinity, keepAffinity, verifyAffinity } from '../cpu/affinity.ts'
import type { ModelInstance } from '../cpu/plan-models.ts'
import { type Allocator, isPreloaded } from './allocator.ts'
import { Crashes } from './crashes.ts'
import { runsInsideMax } from './exchange-file.ts'
import { assertTransition, type InstanceMode } from './instance-mode.ts'
import { InstanceProcess, type RunResult } from './instance-process.ts'
import type { Launcher } from './launcher.ts'
import type { LoadedModel, LoadRequest } from './messages.ts'
import { type RecycleLimits, RecyclePolicy } from './recycle-policy.ts'
import { RunAhead } from './run-ahead.ts'
import type { RunLimits } from './run-watch.ts'
import { Succession } from './succession.ts'
import type { TensorParts } from './wire-tensors.ts'

/** Where an instance runs, and how its idle threads wait there. */
export interface Placement extends Omit<ModelInstance, 'shared'> {
  spinning: LoadRequest['spinning']
}

export interface InstanceOptions {
  placed: Placement
  load: Omit<LoadRequest, 'exchange'>
  launcher: Launcher
  allocator: Allocator
  hugePages: boolean
  startTimeoutMs: Milliseconds
  /** A run that exceeds these limits is ended together with its process, which is then restarted. */
  runLimits: RunLimits
  /** Limit for one request's outputs. */
  outputBytesMax: Bytes
  recycle: RecycleLimits
  clock: Clock
  logger: Logger
  /** Called whenever the instance may have become free, or has stopped being free. */
  onChange: () => void
}

export class PinnedInstance {
  readonly placed: Placement
  readonly #options: InstanceOptions
  #mode: InstanceMode = 'starting'
  #process: InstanceProcess | undefined
  #model: LoadedModel | undefined
  #affinity: Affinity = { kind: 'unknown' }
  #allocatorConfirmed = false
  #runs = 0
  #restarts = 0
  #recycles = 0
  #movedBack = 0
  #rssBytes: Bytes = 0
  readonly #ahead = new RunAhead()
  readonly #crashes: Crashes
  readonly #recyclePolicy: RecyclePolicy
  readonly #succession: Succession
  #timer: NodeJS.Timeout | undefined
  /** Runs end in the order in which they began. */
  #lastRun: Promise<unknown> = Promise.resolve()

  constructor(options: InstanceOptions) {
    this.placed = options.placed
    this.#options = options
    this.#crashes = new Crashes(options.clock)
    this.#recyclePolicy = new RecyclePolicy(options.recycle, options.clock)
    this.#succession = new Succession({
      spawn: () => this.#spawn(),
      check: (model) => this.#compareWithFirst(model),
      onReady: (limit) => this.#successorIsReady(limit),
      onFailed: (why) => this.#goOnWithoutSuccessor(why),
    })
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
  /** How often one of its processes was found off its cores. */
  get movedBack(): number {
    return this.#movedBack
  }
  /** As of the process's last run or, before the first, its start. */
  get rssBytes(): Bytes {
    return this.#rssBytes
  }
  get allocatorConfirmed(): boolean {
    return this.#allocatorConfirmed
  }
  /** Whether the next batch may be sent now, for the process to start as soon as it finishes its current one. */
  get takesAhead(): boolean {
    const { inside = 0 } = this.#process ?? {}
    // an instance that never became idle could never be replaced by its successor
    const isFollowed = this.#succession.isReady
    const mayBegin = this.#ahead.mayBegin(this.#options.clock.monotonic())
    return this.#mode === 'busy' && inside < runsInsideMax && mayBegin && !isFollowed
  }
  /** When to take back the batch that was sent ahead, if it is still waiting; `undefined` if there is none. */
  get takeBackAt(): MonotonicMs | undefined {
    return this.#ahead.takeBackAt
  }
  /** When the current run is likely to end; meaningful only while busy. */
  get freeAt(): MonotonicMs {
    return this.#ahead.freeAt
  }
  /** Up and not in a crash loop. */
  get serving(): boolean {
    return this.#isUp && !this.#crashes.isLoop(true)
  }

  /** Down, and likely to crash again soon after its restart. */
  get isLost(): boolean {
    return !this.#isUp && this.#crashes.isLoop(false)
  }

  /** The first start. Rejects with an error that says what to do if the model cannot be loaded. */
  async start(): Promise<LoadedModel> {
    this.#model = await this.#launch()
    return this.#model
  }

  /** The instance must be idle or `takesAhead`. `requests` is the number of requests in the batch. */
  run(inputs: Record<string, TensorParts>, requests: number): Promise<RunResult> {
    const isAhead = this.#mode === 'busy'
    if (!isAhead) {
      this.#enter('busy')
      this.#ahead.runBegan(this.#options.clock.monotonic())
    }
    const run = this.#runInside(this.#process!, inputs, requests)
    return isAhead ? this.#ahead.begin(run) : run
  }

  /** Gives up the batch that was sent ahead, so that it can run elsewhere. */
  takeBack(): void {
    this.#ahead.takeBack()
  }

  /** Call before stopping: its runs then count as not run, whatever happens to them. */
  abandonRuns(): void {
    this.#process?.abandonRuns()
  }

  async #runInside(
    process: InstanceProcess,
    inputs: Record<string, TensorParts>,
    requests: number,
  ): Promise<RunResult> {
    const run = process.run(inputs, requests * this.#options.outputBytesMax)
    this.#lastRun = run
    const result = await run
    this.#ahead.runEnded(this.#options.clock.monotonic(), result)
    this.#runs++
    if (result.kind === 'done') this.#rssBytes = result.rssBytes
    if (this.#mode === 'busy' && process === this.#process && result.kind !== 'lost' && result.kind !== 'notRun') {
      if (process.inside === 0) this.#enter('idle')
      this.#succeed()
      this.#recycleIfDue()
      this.#options.onChange()
    }
    return result
  }

  /** Moves the process back if it has left its cores; `undefined` if none is up or it was never pinned. */
  async keepPinned(): Promise<KeptAffinity | undefined> {
    const process = this.#process
    if (this.launcher.kind === 'unpinned' || process?.pid === undefined || this.#mode === 'starting') return undefined
    const kept = await keepAffinity(process.pid, this.placed.cpus)
    if (process === this.#process) this.#affinity = kept.now
    if (kept.moved) this.#movedBack++
    return kept
  }

  /** Stops once its runs have ended. Give it no more. */
  async finish(): Promise<void> {
    await this.#lastRun
    await this.stop()
  }

  async stop(): Promise<void> {
    if (this.#mode === 'stopped') return
    this.#enter('stopped')
    clearTimeout(this.#timer)
    await Promise.all([this.#process?.stop(), this.#succession.stop()])
  }

  get #isUp(): boolean {
    return this.#mode === 'idle' || this.#mode === 'busy'
  }

  #enter(mode: InstanceMode): void {
    assertTransition(this.#mode, mode)
    this.#mode = mode
  }

  #spawn(): InstanceProcess {
    const { placed, load, ...options } = this.#options
    return new InstanceProcess({
      ...options,
      load: { ...load, mixesRows: this.#model?.mixesRows },
      model: placed.model,
    })
  }

  async #launch(): Promise<LoadedModel> {
    const process = this.#spawn()
    this.#process = process
    process.ended.then((reason) => this.#ended(process, reason))
    const model = await process.load()
    this.#compareWithFirst(model)
    if (this.#mode !== 'starting') return model
    this.#take(process)
    this.#enter('idle')
    this.#options.onChange()
    return model
  }

  /** Puts a process whose model is loaded into service. */
  #take(process: InstanceProcess): void {
    const { placed, allocator, launcher, logger } = this.#options
    this.#process = process
    this.#runs = 0
    this.#rssBytes = process.freshRssBytes
    this.#crashes.up()
    this.#recyclePolicy.begin(process.freshRssBytes)
    this.#affinity = launcher.kind === 'unpinned' ? { kind: 'unknown' } : verifyAffinity(process.pid!, placed.cpus)
    this.#allocatorConfirmed = allocator.kind === 'preloaded' && isPreloaded(process.pid!, allocator.path)
    if (allocator.kind === 'preloaded' && !this.#allocatorConfirmed) {
      logger.warn({ model: placed.model, allocator }, 'the allocator could not be preloaded')
    }
  }

  /**
   * Answers from a model file replaced on disk must not carry the old digest, so this throws. Those of a runtime replaced
   * on disk may differ, and nothing else would say so.
   */
  #compareWithFirst({ digest, runtimeVersion }: LoadedModel): void {
    const { load, placed, logger } = this.#options
    const first = this.#model
    if (first === undefined) return
    if (digest !== first.digest) {
      throw new Error(`${load.path} has changed since it was loaded; reload the server (SIGHUP) to serve it`)
    }
    if (runtimeVersion !== first.runtimeVersion) {
      logger.warn(
        { model: placed.model, cpus: placed.cpus },
        `a new process runs ONNX Runtime ${runtimeVersion}, and this instance began with ${first.runtimeVersion}: the installed package has been replaced, so answers may differ; restart the server`,
      )
    }
  }

  #ended(process: InstanceProcess, reason: string): void {
    if (process !== this.#process) return
    this.#process = undefined
    // before the first model is loaded, the caller of `start` gets the error instead
    if (this.#mode === 'stopped' || this.#model === undefined) return
    this.#backOff(reason, process.pid)
  }

  #backOff(reason: string, pid: number | undefined): void {
    const { logger, placed } = this.#options
    const backoffMs = this.#crashes.ended(this.#isUp)
    this.#enter('restarting')
    logger.error({ model: placed.model, cpus: placed.cpus, instancePid: pid, reason, backoffMs }, 'an instance ended')
    this.#timer = setTimeout(() => this.#restart(), backoffMs)
    this.#options.onChange()
  }

  #restart(): void {
    const { logger, placed } = this.#options
    this.#restarts++
    this.#enter('starting')
    this.#launch().then(
      () => logger.info({ model: placed.model, cpus: placed.cpus, instancePid: this.pid }, 'an instance is back'),
      (error: unknown) => {
        logger.error({ model: placed.model, err: error }, 'an instance could not be restarted')
        if (this.#process) this.#process.kill('it could not be put into service')
        // a process that could not be created reports no exit
        else if (this.#mode === 'starting') this.#backOff('could not be made', undefined)
      },
    )
  }

  #recycleIfDue(): void {
    const limit = this.#succession.isUnderWay ? undefined : this.#recyclePolicy.limitReached(this.#runs, this.#rssBytes)
    if (limit) void this.#succession.start(limit)
  }

  #successorIsReady(limit: string): void {
    const { logger, placed } = this.#options
    logger.info(
      { model: placed.model, instancePid: this.pid, limit, rssBytes: this.#rssBytes },
      'an instance is recycled',
    )
    this.#succeed()
  }

  #goOnWithoutSuccessor(why: object): void {
    if (this.#mode === 'stopped') return
    const { logger, placed } = this.#options
    logger.error({ model: placed.model, ...why }, 'an instance could not be recycled and carries on as it is')
  }

  /** Call only between two batches. */
  #succeed(): void {
    const successor = this.#mode === 'idle' ? this.#succession.take() : undefined
    if (!successor) return
    const predecessor = this.#process!
    this.#take(successor)
    successor.ended.then((reason) => this.#ended(successor, reason))
    this.#recycles++
    void predecessor.stop()
  }
}
