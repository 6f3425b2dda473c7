import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Cpu } from '../../candidate-server/config/cpu.ts'
import { isHiddenByServer } from '../../candidate-server/config/problems.ts'
import { PlanError } from '../../candidate-server/cpu/plan-error.ts'
import { readTopology, type Topology } from '../../candidate-server/cpu/topology.ts'
import { notAModel } from '../../candidate-server/model-file/foreign-file.ts'
import { readModelFile } from '../../candidate-server/model-file/model-file.ts'
import { rewritingsOf } from '../../candidate-server/model-file/model-for-cpu.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { CliFailure, exitCodes } from '../failure.ts'
import { interruptedStatus, interruptible } from '../interrupt.ts'
import { readRequests } from '../load/stored-requests.ts'
import type { SwitchName } from './configuration.ts'
import { busyShare } from './cpu-time.ts'
import { requireQuiet } from './require-quiet.ts'
import { type TuneSettings, tune } from './run-tune.ts'
import { searchSpace, startOf } from './search-space.ts'
import { reportTune } from './tune-report.ts'
import { absolutePath, readConfig, requireFolder, requireWritable } from './write-config.ts'

export interface TuneOptions {
  model: string
  also?: string[]
  name?: string
  adapter?: string
  config?: string
  requests?: string
  shape?: [string, number[]][]
  latency?: number
  percentile: number
  exhaustive?: true
  instances?: number[]
  threads?: number[]
  batch?: number[]
  delay?: number[]
  switches: SwitchName[]
  clients?: number
  window: number
  picture?: string
  write?: string
  evenIfBusy?: true
  json?: true
}

/**
 * Runs the command from its options to its exit status. Throws a `CliFailure` for invalid input before anything runs.
 */
export async function tuneModel(options: TuneOptions): Promise<number> {
  const topology = readTopology()
  const { settings, tuned } = await settingsOf(options, topology)
  const { write, picture } = options
  if (picture !== undefined) requireFolder(picture)
  if (write !== undefined) requireWritable(write, startOf(settings.spaceFor(undefined)), tuned)
  const warning = await requireQuiet((ms) => busyShare(topology.allowedCpus, ms), options.evenIfBusy ?? false)
  if (warning) process.stderr.write(`${warning}\n`)
  return interruptible(async (signal) => {
    const result = await tune(settings, signal)
    reportTune(result, settings, tuned, options)
    if (result.interrupted) return interruptedStatus
    return result.chosen ? exitCodes.ok : exitCodes.fail
  })
}

async function settingsOf(options: TuneOptions, topology: Topology) {
  requireFiles(options)
  const { section, model } = measuredModel(options)
  const spaceFor = spaceOf(options, topology, section)
  spaceFor(undefined) // reports a plan that does not fit before anything is started
  const settings: TuneSettings = {
    section,
    model,
    requests: options.requests === undefined ? undefined : await readRequests(options.requests),
    shapes: new Map(options.shape ?? []),
    spaceFor,
    limit: { latencyMs: options.latency, percentile: options.percentile },
    exhaustive: options.exhaustive ?? false,
    windowMs: options.window,
    allowedCpus: topology.allowedCpus,
    concurrency: options.clients,
  }
  const entry = options.adapter === undefined ? {} : { adapter: model.adapter }
  return { settings, tuned: { file: model.path, name: model.name, entry } }
}

function requireFiles({ model, also = [], config }: TuneOptions): void {
  for (const file of [model, ...also]) {
    if (!existsSync(file)) throw new CliFailure(`${file} does not exist; expected an ONNX file`)
  }
  requireModel(model)
  if (config !== undefined && !existsSync(config)) {
    throw new CliFailure(`${config} does not exist; expected a config`)
  }
}

/** A broken file among `also` is a row of the table instead. */
function requireModel(file: string): void {
  try {
    readModelFile(file)
  } catch (error) {
    if (error instanceof RangeError) throw new CliFailure(notAModel(file, error))
    throw new CliFailure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}); expected an ONNX file`)
  }
}

/** The model's entry with which servers are started, and the section around it, from the config if there is one. */
function measuredModel({ model, name, adapter, config, write }: TuneOptions): Pick<TuneSettings, 'section' | 'model'> {
  const file = config ?? (write !== undefined && existsSync(write) ? write : undefined)
  const { section, models, entry = {} } = file === undefined ? noConfig : readConfig(file, model, name)
  if ('dispatch' in entry) throw new CliFailure(`${file}: the model has dispatch: groups; tune it without them`)
  if (models.length > 1) {
    process.stderr.write(`${file} has ${models.length} models; this one is tuned as if it had the machine to itself\n`)
  }
  const { instances: _instances, threads: _threads, ...kept } = entry as Record<string, unknown>
  const asked = { ...kept, ...(adapter !== undefined && { adapter }) }
  return {
    section,
    model: {
      ...withAbsolutePaths(asked, file),
      name: name ?? (kept.name as string | undefined) ?? nameOfFile(model),
      path: resolve(model),
    },
  }
}

const noConfig = { section: {}, models: [], entry: {} }

/** Relative paths must work for the measured servers, whose config lies elsewhere. */
function withAbsolutePaths(entry: Record<string, unknown>, file: string | undefined): Record<string, unknown> {
  const adapter = entry.adapter as string | undefined
  const text = entry.text as { tokenizer?: unknown } | undefined
  return {
    ...entry,
    ...(adapter !== undefined && /[./]/.test(adapter) && { adapter: absolutePath(adapter, file) }),
    ...(typeof text?.tokenizer === 'string' && { text: { ...text, tokenizer: absolutePath(text.tokenizer, file) } }),
  }
}

function spaceOf(options: TuneOptions, topology: Topology, section: TuneSettings['section']): TuneSettings['spaceFor'] {
  const { model, instances, threads, batch, delay, switches, exhaustive = false } = options
  const also = (options.also ?? []).map((file) => resolve(file))
  const rewritings = new Map([undefined, ...also].map((file) => [file, rewritingsIn(file ?? model)]))
  const given = { instances, threads, sizes: batch, delaysMs: delay, switches, exhaustive, also }
  const asked = { ...given, rewritings, straddleNuma: mayStraddle(section) }
  return (fixedSize) => {
    try {
      return searchSpace(topology, { ...asked, fixedSize })
    } catch (error) {
      if (error instanceof PlanError) throw new CliFailure(`${error.code}: ${error.message}`)
      throw error
    }
  }
}

/** As the servers that are measured will read it; they report what is wrong with it. */
function mayStraddle({ cpu = {} }: TuneSettings['section']): boolean {
  const { value } = decodeSection(cpu, 'candidateServer.cpu', Cpu, process.env)
  return (value as { straddleNuma: boolean } | undefined)?.straddleNuma ?? false
}

/** Empty for an invalid file: the server reports that in the table. */
function rewritingsIn(file: string) {
  try {
    return rewritingsOf(file)
  } catch {
    return []
  }
}

/** The file's name, as far as the config allows it. */
export function nameOfFile(file: string): string {
  const name = basename(file, '.onnx')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100)
  return name === '' || isHiddenByServer(name) ? 'model' : name
}
