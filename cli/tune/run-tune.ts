import { CliFailure } from '../failure.ts'
import type { StoredRequest } from '../load/stored-requests.ts'
import { ProgressLine } from '../progress-line.ts'
import { type Configuration, keyOf, sectionsOf } from './configuration.ts'
import { type InputMetadata, makeRequests } from './made-requests.ts'
import { type LatencyLimit, type Level, measureLevels } from './measure.ts'
import { progressText } from './progress-text.ts'
import { requireAnswers } from './require-answers.ts'
import { type Choice, choose, isBetter, type Row, rowOf } from './rows.ts'
import { type Axis, climb, combinations, exhaust, type Search } from './search.ts'
import { allMainAxes, fileAxes, mainAxes, switchAxes } from './search-axes.ts'
import { type SearchSpace, startOf } from './search-space.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export interface TuneSettings {
  /**
   * The `candidateServer:` section to which configurations are applied: limits, and settings that the tuner does not
   * vary.
   */
  section: Record<string, unknown>
  /** The model's entry: name, absolute path, adapter … */
  model: { name: string; path: string; [key: string]: unknown }
  /** `undefined`: generated from the model's metadata. */
  requests: readonly StoredRequest[] | undefined
  shapes: ReadonlyMap<string, number[]>
  /** Called once it is known which batch sizes the model takes: a fixed one, or any. */
  spaceFor: (fixedSize: number | undefined) => SearchSpace
  limit: LatencyLimit
  exhaustive: boolean
  windowMs: number
  allowedCpus: readonly number[]
  concurrency: number | undefined
}

export interface TuneResult extends Choice {
  rows: Row[]
  /** The server's warnings while it ran, without duplicates. */
  warnings: string[]
  /** Whether it was ended before the search was complete. */
  interrupted: boolean
}

/** Measures until the search is complete or `signal` ends it; results up to then are kept. */
export async function tune(settings: TuneSettings, signal: AbortSignal): Promise<TuneResult> {
  const rows: Row[] = []
  const warnings = new Map<string, string>()
  const progress = new ProgressLine()
  try {
    const { requests, fixedSize } = await prepare(settings, signal)
    const space = settings.spaceFor(fixedSize)
    const search: Search<Configuration, Row> = {
      keyOf,
      isBetter,
      measure: async (configuration) => {
        const onLevel = (level: Level) => progress.show(progressText(rows, expected, configuration, level))
        const row = await measureRow(settings, configuration, { requests, signal, warnings, onLevel })
        rows.push(row)
        requireAnswers(rows, settings)
        progress.show(progressText(rows, expected, configuration))
        return row
      },
    }
    const start = startOf(space)
    const [switches, files] = [switchAxes(space), fileAxes(space)]
    // some switches apply to one file only, so the file comes first in every combination
    const then = settings.exhaustive ? [...files, ...switches] : [...switches, ...files]
    // the best layout may differ between files
    const first = settings.exhaustive ? [...allMainAxes(space), ...files] : mainAxes(space)
    const all = (axes: Axis<Configuration>[]) => combinations(start, axes, keyOf).length
    const expected = settings.exhaustive
      ? { count: all(first) + all(then) - 1, exact: true }
      : { count: [...first, ...then].reduce((sum, { variants }) => sum + variants(start).length - 1, 1), exact: false }
    if (settings.exhaustive) await exhaust(start, [first, then], search)
    else await climb(start, [...first, ...then], search)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    progress.clear()
  }
  return { rows, ...choose(rows), warnings: [...warnings.values()], interrupted: signal.aborted }
}

/** Finds out what the model takes from a server with one instance. */
async function prepare({ section, model, requests, shapes }: TuneSettings, signal: AbortSignal) {
  const entry = { ...model, batch: undefined }
  const server = await startServer({ ...section, cpu: { instances: 1, threads: 1 }, models: [entry] }, signal)
  try {
    const ask = async <Answer>(path: string) =>
      (await fetch(new URL(`/v2/models/${encodeURIComponent(model.name)}${path}`, server.url))).json() as Answer
    const { inputs } = await ask<{ inputs: InputMetadata[] }>('')
    const { max_batch_size } = await ask<{ max_batch_size: number }>('/config')
    return {
      requests: requests ?? makeRequests(model.name, inputs, shapes, model.adapter as string | undefined),
      fixedSize: fixedSizeOf(inputs, max_batch_size > 0),
    }
  } finally {
    await server.stop()
  }
}

/**
 * Inputs without a common first dimension are not a batch, nor are those that the server found unsuitable: each request
 * runs alone.
 */
function fixedSizeOf(inputs: readonly InputMetadata[], isBatched: boolean): number | undefined {
  const firsts = new Set(inputs.map(({ shape }) => shape[0] ?? 1))
  const [first = 1] = firsts
  if (firsts.size > 1) return 1
  return first !== -1 ? first : isBatched ? undefined : 1
}

interface RowOptions {
  requests: readonly StoredRequest[]
  signal: AbortSignal
  /** Those of the server are added, by code. */
  warnings: Map<string, string>
  onLevel: (level: Level) => void
}

async function measureRow(
  settings: TuneSettings,
  configuration: Configuration,
  { requests, signal, warnings, onLevel }: RowOptions,
): Promise<Row> {
  signal.throwIfAborted()
  let server: ServerProcess
  try {
    server = await startServer(sectionFor(settings, configuration), signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof CliFailure)) throw error
    return { kind: 'failed', configuration, message: error.message }
  }
  try {
    for (const { code, message } of server.warnings)
      if (isMachineWarning(code)) warnings.set(code, `${code}: ${message}`)
    return rowOf(configuration, await measureLevels(server, configuration, { ...settings, requests, signal, onLevel }))
  } finally {
    await server.stop()
  }
}

/** Warnings about idle or shared cores are not included: the search varies exactly that. */
const isMachineWarning = (code: string) => !['IDLE_CORES', 'CORES_SHARED', 'HYBRID_CORES'].includes(code)

/** Large enough for every client: a full queue would be measured as failures. */
const roomyQueue = { max: 100_000, timeout: '60s' }

function sectionFor({ section, model }: TuneSettings, configuration: Configuration) {
  const { cpu, batch, session } = sectionsOf(configuration)
  return {
    ...section,
    cpu: { ...(section.cpu as object | undefined), ...cpu },
    queue: roomyQueue,
    models: [
      {
        ...model,
        path: configuration.also ?? model.path,
        batch,
        session: { ...(model.session as object | undefined), ...session },
      },
    ],
  }
}
