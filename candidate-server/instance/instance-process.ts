import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { Tensors } from '../model/tensor.ts'
import type { Allocator } from './allocator.ts'
import { allocatorEnvironment } from './allocator-environment.ts'
import { closeExchangeFile, openExchangeFile } from './exchange-file.ts'
import type { Launcher } from './launcher.ts'
import type { FromInstance, LoadedModel, LoadRequest, ToInstance } from './messages.ts'
import { fromWire, type TensorParts, toWire } from './wire-tensors.ts'

export type RunResult =
  | { kind: 'done'; outputs: Tensors; inferMs: Milliseconds; rssBytes: Bytes }
  | { kind: 'failed'; message: string }
  | { kind: 'lost' }

export interface ProcessOptions {
  model: string
  launcher: Launcher
  allocator: Allocator
  hugePages: boolean
  load: Omit<LoadRequest, 'exchange'>
  startTimeoutMs: Milliseconds
}

const entry = fileURLToPath(new URL('./main.ts', import.meta.url))
const stopDeadlineMs = 2_000

/** One child process of an instance, from its start to its end; another one follows it. */
export class InstanceProcess {
  /** Resolves with the reason. */
  readonly ended: Promise<string>
  readonly #options: ProcessOptions
  readonly #child: ChildProcess
  readonly #exchange = openExchangeFile()
  #running: { id: number; settle: (result: RunResult) => void } | undefined
  #nextId = 1
  #gone = false

  /** Throws where the process cannot be made. */
  constructor(options: ProcessOptions) {
    this.#options = options
    try {
      this.#child = this.#spawn()
    } catch (error) {
      closeExchangeFile(this.#exchange)
      throw error
    }
    this.#child.on('message', (message: FromInstance) => this.#receive(message))
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        if (this.#gone) return
        this.#gone = true
        closeExchangeFile(this.#exchange)
        this.#settle({ kind: 'lost' })
        resolve(reason)
      }
      this.#child.once('error', (error) => end(`could not be started: ${error.message}`))
      this.#child.once('exit', (code, signal) => end(`ended with ${signal ?? `status ${code}`}`))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Rejects with an error that says what to do where the model cannot be loaded, or not in time. */
  load(): Promise<LoadedModel> {
    const { model, load, startTimeoutMs } = this.#options
    const loaded = new Promise<LoadedModel>((resolve, reject) => {
      const timeout = setTimeout(() => {
        reject(new Error(`model ${model} was not loaded within ${startTimeoutMs} ms; raise limits.startTimeout`))
        this.kill()
      }, startTimeoutMs)
      this.ended.then((reason) => {
        clearTimeout(timeout)
        reject(new Error(`the instance of ${model} ${reason} before its model was loaded`))
      })
      this.#child.once('message', (message: FromInstance) => {
        clearTimeout(timeout)
        if (message.kind === 'ready') resolve(message)
        if (message.kind === 'unloadable') reject(new Error(`model ${model}: ${message.message}`))
      })
    })
    this.#send({ kind: 'load', ...load, exchange: this.#exchange !== undefined })
    return loaded
  }

  /** One at a time. */
  run(inputs: Record<string, TensorParts>): Promise<RunResult> {
    return new Promise((settle) => {
      if (this.#gone) return settle({ kind: 'lost' })
      const id = this.#nextId++
      this.#running = { id, settle }
      this.#send({ kind: 'run', id, inputs: toWire(inputs, this.#exchange) })
    })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.#gone || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#send({ kind: 'stop' })
    const deadline = setTimeout(() => this.kill(), stopDeadlineMs)
    await exited
    clearTimeout(deadline)
  }

  #spawn(): ChildProcess {
    const { launcher, allocator, hugePages } = this.#options
    const own = [process.execPath, entry]
    const [command, ...args] = launcher.kind === 'unpinned' ? own : [launcher.command, ...launcher.args, ...own]
    return spawn(command!, args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', this.#exchange ?? 'ignore'],
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
    if (this.#running?.id !== message.id || this.#gone) return
    this.#settle(message.kind === 'done' ? { ...message, outputs: fromWire(message.outputs, this.#exchange) } : message)
  }

  #settle(result: RunResult): void {
    const running = this.#running
    this.#running = undefined
    running?.settle(result)
  }

  #send(message: ToInstance): void {
    // a child that is already gone is reported by its exit
    if (this.#child.connected) this.#child.send(message, () => {})
  }
}
