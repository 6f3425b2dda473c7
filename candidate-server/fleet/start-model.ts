import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { digestWithAdapter, isModule } from '../adapter/adapter-files.ts'
import { createAdapter } from '../adapter/create-adapter.ts'
import { checkDispatch } from '../batch/dispatch.ts'
import type { ModelConfig } from '../config/model.ts'
import type { PlanWarning } from '../cpu/cpu-plan.ts'
import type { ServedAdapter } from '../http/front.ts'
import type { Placement } from '../instance/pinned-instance.ts'
import { mayShareRuns } from '../model/batch-runner.ts'
import { ServedModel } from '../model/served-model.ts'
import { batchLimits } from './batch-limits.ts'
import { createInstance } from './create-instance.ts'
import { int8Warnings } from './int8-warnings.ts'
import { logLoaded } from './log-loaded.ts'
import { type ModelContext, settingsOf } from './model-context.ts'

/** One version of a model with its processes. */
export interface RunningModel extends ServedAdapter {
  /** What the model was made from; equal values would make an identical model. */
  made: { model: ModelConfig; placements: Placement[]; settings: unknown }
  path: string
  warnings: PlanWarning[]
  /** Accepts no more requests and answers those already accepted, until the deadline. */
  drain(deadlineMs: Milliseconds): Promise<void>
  stop(): Promise<void>
}

/** If it rejects (with an error that says what to do), nothing is left running. */
export async function startModel(
  model: ModelConfig,
  placements: Placement[],
  context: ModelContext,
): Promise<RunningModel> {
  const path = requireFile(model, context.folders)
  // looked for now, since a model may take long to load
  if (isModule(model.adapter)) requireFile(model, context.folders, 'adapter')
  let served: ServedModel | undefined
  let adapter: RunningModel['adapter']
  const instances = await Promise.all(
    placements.map((placed) => createInstance({ ...model, path }, placed, context, () => served?.pump())),
  )
  const stop = async () => {
    await Promise.all([adapter?.stop(), ...(served?.instances ?? instances).map((instance) => instance.stop())])
  }
  try {
    const all = await Promise.all(instances.map((instance) => instance.start()))
    const [own, ...others] = all
    if (others.some(({ digest }) => digest !== own!.digest)) {
      throw new Error(`model ${model.name}: ${path} has changed between its instances; load it once it is whole`)
    }
    const resolvePath = (file: string) => findFile(file, context.folders)
    const digestNow = () => digestWithAdapter(own!.digest, model, path, resolvePath)
    // groups that do not batch have not tested this
    const mixesRows = [true, false].find((found) => all.some((one) => one.mixesRows === found))
    const loaded = { ...own!, mixesRows, digest: digestNow() }
    const batch = batchLimits(model, loaded)
    const runsAlone = !mayShareRuns(loaded) || batch.every(({ sizeMax }) => sizeMax === 1)
    const { name, version, labels } = model
    const described = { ...loaded.info, name, version, labels, path, runsAlone }
    adapter = await createAdapter(model, described, loaded.warmUp, {
      limits: context.config.limits,
      queue: context.config.queue,
      resolvePath,
      isUnchanged: () => digestNow() === loaded.digest,
      logger: context.logger,
    })
    checkDispatch(model, loaded.info)
    served = new ServedModel({
      name: model.name,
      version: model.version,
      loaded,
      instances,
      batch,
      dispatch: model.dispatch,
      queue: { max: context.config.queue.max, timeoutMs: context.config.queue.timeout },
      rowsMax: context.config.limits.rowsMax,
      clock: context.clock,
      logger: context.logger,
    })
    const warnings = int8Warnings(model, loaded)
    logLoaded(model, served, warnings, context.logger)
    const made = { model, placements, settings: settingsOf(context) }
    const drain = async (deadlineMs: Milliseconds) => {
      await served!.drain(deadlineMs)
      await adapter?.stop()
    }
    return { served, adapter, model: described, made, path, warnings, drain, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The path of the model's file, or its module's; throws an error that names every place where it was looked for. */
export function requireFile(model: ModelConfig, folders: readonly string[], key: 'path' | 'adapter' = 'path'): string {
  const found = findFile(model[key], folders)
  if (existsSync(found)) return found
  const places = [...new Set(placesOf(model[key], folders))].join(', nor at ')
  throw new Error(`model ${model.name}: no file can be read at ${places}; check the model's ${key}: in the config`)
}

/** The path in the first folder that contains it; an absolute path is returned unchanged. */
export function findFile(path: string, folders: readonly string[]): string {
  const places = placesOf(path, folders)
  return places.find((place) => existsSync(place)) ?? places[0]!
}

const placesOf = (path: string, folders: readonly string[]) =>
  isAbsolute(path) ? [path] : folders.map((folder) => resolve(folder, path))
