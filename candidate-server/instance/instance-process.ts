import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Bytes, Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'
import type { Tensors } from '../tensor/tensor.ts'
import { type Allocator, allocatorEnvironment } from './allocator.ts'
import { closeExchangeFile, exchangeFds, openExchangeFile, settleExchangeFile, slotOf } from './exchange-file.ts'
import type { Launcher } from './launcher.ts'
import type { FromInstance, LoadedModel, LoadRequest, ToInstance } from './messages.ts'
import { type RunLimit, type RunLimits, RunWatch } from './run-watch.ts'
import { exchangedBytes, fromWire, type TensorParts, toWire, type WireTensors } from './wire-tensors.ts'

export type RunResult =
  | { kind: 'done'; outputs: Tensors; waitedMs: Milliseconds; inferMs: Milliseconds; rssBytes: Bytes }
  | { kind: 'failed'; message: string }
  /** The process ended during the run. `limit`: it was ended because the run exceeded that limit. */
  | { kind: 'lost'; limit?: RunLimit | undefined }
  /** The process ended during an earlier run, or the run was taken back or abandoned. */
  | { kind: 'notRun' }

interface Run {
  id: number
  sentAt: MonotonicMs
  /** Bytes of its inputs in the exchange file. */
  exchanged: Bytes
  settle: (result: RunResult) => void
}

export interface ProcessOptions {
  model: string
  launcher: Launcher
  allocator: Allocator
  hugePages: boolean
  load: Omit<LoadRequest, 'exchange'>
  startTimeoutMs: Milliseconds
  runLimits: RunLimits
  clock: Clock
  logger: Logger
}

const entry = fileURLToPath(new URL('./main.ts', import.meta.url))
const stopDeadlineMs = 2_000

/** One child process of an instance, from start to end; the instance then starts another. */
export class InstanceProcess {
  /** Resolves with the reason. */
  readonly ended: Promise<string>
  readonly #options: ProcessOptions
  readonly #child: ChildProcess
  readonly #exchanges = exchangeFds.map(() => openExchangeFile())
  /** In order of their turns; the first is running. */
  readonly #inside: Run[] = []
  #firstSince: MonotonicMs = 0
  #freshRssBytes: Bytes = 0
  readonly #watch: RunWatch
  #nextId = 1
  #gone = false
  /** The run that exceeded a limit and for which the process is being ended. */
  #over: { id: number; limit: RunLimit } | undefined
  /** Why the front killed the process. Without this, its SIGKILL would be taken for that of the kernel out of memory. */
  #killedBecause: string | undefined

  /** Throws if the process cannot be created. */
  constructor(options: ProcessOptions) {
    this.#options = options
    this.#watch = new RunWatch(options.runLimits, (limit) => this.#endOver(limit))
    try {
      this.#child = this.#spawn()
    } catch (error) {
      this.#exchanges.forEach(closeExchangeFile)
      throw error
    }
    this.#child.on('message', (message: FromInstance) => this.#receive(message))
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        if (this.#gone) return
        this.#gone = true
        this.#exchanges.forEach(closeExchangeFile)
        this.#watch.end()
        // if the run over its limit was answered after all, the next run is not to blame
        const { id: lostId = this.#inside[0]?.id, limit } = this.#over ?? {}
        for (const { id, settle } of this.#inside.splice(0))
          settle(id === lostId ? { kind: 'lost', limit } : { kind: 'notRun' })
        resolve(reason)
      }
      this.#child.once('error', (error) => end(`could not be started: ${error.message}`))
      this.#child.once('exit', (code, signal) =>
        end(this.#killedBecause ? `was ended: ${this.#killedBecause}` : endOf(code, signal)),
      )
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Rejects with an error that says what to do if the model cannot be loaded, or not in time. */
  load(): Promise<LoadedModel> {
    const { model, load, startTimeoutMs, runLimits } = this.#options
    const loaded = new Promise<LoadedModel>((resolve, reject) => {
      const timeout = setTimeout(() => {
        reject(new Error(`model ${model} was not loaded within ${startTimeoutMs} ms; raise limits.startTimeout`))
        this.kill('its model was not loaded within limits.startTimeout')
      }, startTimeoutMs)
      this.ended.then((reason) => {
        clearTimeout(timeout)
        reject(new Error(`the instance of ${model} ${reason} before its model was loaded`))
      })
      this.#child.once('message', (message: FromInstance) => {
        clearTimeout(timeout)
        if (message.kind === 'ready') {
          this.#freshRssBytes = message.rssBytes
          const { rssBytesMax } = runLimits
          if (rssBytesMax === 'none' || message.rssBytes < rssBytesMax) return resolve(message.model)
          reject(
            new Error(
              `model ${model}: its process has ${message.rssBytes} bytes with the model warm, and is ended in any run with more than limits.runRssMax, ${rssBytesMax} bytes; raise it by what a run may need`,
            ),
          )
        }
        if (message.kind === 'unloadable') reject(new Error(`model ${model}: ${message.message}`))
      })
    })
    this.#send({ kind: 'load', ...load, exchange: !this.#exchanges.includes(undefined) })
    return loaded
  }

  /** Resident memory with the model warmed up, before the first run. */
  get freshRssBytes(): Bytes {
    return this.#freshRssBytes
  }

  /** Number of runs inside. It may be given up to `runsInsideMax`, and runs them in turn. */
  get inside(): number {
    return this.#inside.length
  }

  /** A run whose outputs exceed `outputBytesMax` fails. */
  run(inputs: Record<string, TensorParts>, outputBytesMax: Bytes): Promise<RunResult> {
    return new Promise((settle) => {
      if (this.#gone) return settle({ kind: 'lost' })
      const id = this.#nextId
      let wire: WireTensors
      try {
        wire = toWire(inputs, this.#exchanges[slotOf(id)])
        this.#send({ kind: 'run', id, inputs: wire, outputBytesMax })
      } catch (error) {
        const { model, logger } = this.#options
        logger.error({ model, instancePid: this.pid, err: error }, 'the inputs of a run could not be sent')
        return settle({ kind: 'failed', message: `its inputs could not be sent: ${(error as Error).message}` })
      }
      this.#nextId++
      this.#inside.push({ id, settle, sentAt: this.#options.clock.monotonic(), exchanged: exchangedBytes(wire) })
      if (this.#inside.length === 1) this.#beginTurn()
    })
  }

  abandonRuns(): void {
    this.#watch.end()
    for (const { settle } of this.#inside.splice(0)) settle({ kind: 'notRun' })
  }

  kill(because: string): void {
    this.#killedBecause ??= because
    this.#child.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.#gone || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#send({ kind: 'stop' })
    const deadline = setTimeout(() => this.kill('it was to stop and did not'), stopDeadlineMs)
    await exited
    clearTimeout(deadline)
  }

  #spawn(): ChildProcess {
    const { launcher, allocator, hugePages } = this.#options
    const own = [process.execPath, entry]
    const [command, ...args] = launcher.kind === 'unpinned' ? own : [launcher.command, ...launcher.args, ...own]
    return spawn(command!, args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', ...this.#exchanges.map((fd) => fd ?? 'ignore')],
      serialization: 'advanced',
      env: {
        ...process.env,
        NODE_OPTIONS: undefined,
        ORT_DISABLE_TELEMETRY: '1',
        UV_THREADPOOL_SIZE: '1',
        ...allocatorEnvironment(allocator, hugePages, process.env),
      },
    })
  }

  #receive(message: FromInstance): void {
    if (message.kind !== 'done' && message.kind !== 'failed') return
    const [run] = this.#inside
    if (!run || run.id !== message.id || this.#gone) return
    this.#inside.shift()
    const waitedMs = Math.max(0, this.#firstSince - run.sentAt)
    this.#beginTurn()
    const exchange = this.#exchanges[slotOf(run.id)]
    run.settle(message.kind === 'done' ? this.#done(message, exchange, waitedMs) : message)
    const read = message.kind === 'done' ? exchangedBytes(message.outputs) : 0
    settleExchangeFile(exchange, Math.max(run.exchanged, read))
  }

  #done(message: FromInstance & { kind: 'done' }, exchange: number | undefined, waitedMs: Milliseconds): RunResult {
    const { model, logger } = this.#options
    try {
      return { ...message, outputs: fromWire(message.outputs, exchange), waitedMs }
    } catch (error) {
      // out of memory, for example: that fails this run alone, not every model in the process
      logger.error({ model, instancePid: this.pid, err: error }, 'the outputs of a run could not be read')
      return { kind: 'failed', message: `its outputs could not be read: ${(error as Error).message}` }
    }
  }

  /** Starts or stops the watch over the first run when that changes. */
  #beginTurn(): void {
    this.#watch.endRun()
    if (this.#inside.length === 0 || this.#over) return
    this.#firstSince = this.#options.clock.monotonic()
    this.#watch.beginRun(this.pid!)
  }

  #endOver(limit: RunLimit): void {
    const { model, logger } = this.#options
    logger.error({ model, instancePid: this.pid, limit }, 'a run exceeded its limit, and its process ends with it')
    this.#over = { id: this.#inside[0]!.id, limit }
    this.kill(`a run exceeded ${limit}`)
  }

  #send(message: ToInstance): void {
    // if the child has already gone, its exit is reported instead
    if (this.#child.connected) this.#child.send(message, () => {})
  }
}

/** A process that the kernel ends for lack of memory learns nothing of it, and its parent only the signal. */
const endOf = (code: number | null, signal: NodeJS.Signals | null) =>
  signal === 'SIGKILL'
    ? 'ended with SIGKILL, perhaps by the kernel for lack of memory'
    : `ended with ${signal ?? `status ${code}`}`
