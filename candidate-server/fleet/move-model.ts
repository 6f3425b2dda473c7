import { isDeepStrictEqual } from 'node:util'
import { digestWithAdapter } from '../adapter/adapter-files.ts'
import type { Placement } from '../instance/pinned-instance.ts'
import { createInstance } from './create-instance.ts'
import type { ModelContext } from './model-context.ts'
import { findFile, type RunningModel } from './start-model.ts'

/** A running model whose new instances are up beside the old ones. */
export interface Move {
  /** Resolves once the instances that were replaced have ended. */
  takeOver(): Promise<void>
  discard(): Promise<void>
}

/**
 * Starts an instance for each place that no instance of the model has yet. If it rejects (with an error that says what
 * to do), nothing has changed.
 */
export async function prepareMove(
  running: RunningModel,
  placements: Placement[],
  context: ModelContext,
): Promise<Move> {
  const { served, path, made } = running
  const { model } = made
  const leaving = [...served.instances]
  const staying = placements.map((placed) => {
    const i = leaving.findIndex((instance) => isDeepStrictEqual(instance.placed, placed))
    return i < 0 ? undefined : leaving.splice(i, 1)[0]!
  })
  const instances = await Promise.all(
    placements.map(
      (placed, i) => staying[i] ?? createInstance({ ...model, path }, placed, context, () => served.pump()),
    ),
  )
  const fresh = instances.filter((instance) => !staying.includes(instance))
  const discard = async () => {
    await Promise.all(fresh.map((instance) => instance.stop()))
  }
  try {
    for (const { digest } of await Promise.all(fresh.map((instance) => instance.start()))) {
      const whole = digestWithAdapter(digest, model, path, (file) => findFile(file, context.folders))
      if (whole !== served.loaded.digest) throw filesChanged(model.name)
    }
  } catch (error) {
    await discard()
    throw error
  }
  const takeOver = async () => {
    served.replaceInstances(instances)
    running.made = { ...made, placements }
    await Promise.all(leaving.map((instance) => instance.finish()))
  }
  return { takeOver, discard }
}

export const filesChanged = (model: string) =>
  new Error(`model ${model}: its files have changed since they were loaded; reload the server (SIGHUP) to serve them`)
