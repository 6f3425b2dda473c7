/**
 * The models served, their processes and the plan that places them. They change all at once: the new ones are prepared
 * beside the old, then take over, and the old ones drain and end.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { digestWithAdapter } from '../adapter/adapter-files.ts'
import type { ModelConfig } from '../config/model.ts'
import type { CandidateServerConfig } from '../config.ts'
import type { CpuPlan, PlanWarning } from '../cpu/cpu-plan.ts'
import { describePlan } from '../cpu/describe-plan.ts'
import { isaFlags } from '../cpu/isa-flags.ts'
import { planJson } from '../cpu/plan.ts'
import type { Topology } from '../cpu/topology.ts'
import { type Allocator, findAllocator } from '../instance/allocator.ts'
import { hugePageWarnings } from '../instance/huge-pages.ts'
import type { Placement } from '../instance/pinned-instance.ts'
import { digestModel } from '../model-file/external-data.ts'
import { type ModelContext, settingsOf } from './model-context.ts'
import { filesChanged, type Move, prepareMove } from './move-model.ts'
import { planConfig } from './plan-config.ts'
import { findFile, type RunningModel, requireFile, startModel } from './start-model.ts'

interface FleetOptions {
  folders: readonly string[]
  clock: Clock
  logger: Logger
}

/** A prepared fleet, ready to take over. */
export interface NextFleet {
  config: CandidateServerConfig
  topology: Topology
  plan: CpuPlan
  allocator: Allocator
  models: RunningModel[]
  /** The models that are new in this fleet. */
  started: RunningModel[]
  /** Of models that stay, but not on the same cores. */
  moves: Move[]
}

interface PlannedFleet extends Pick<NextFleet, 'config' | 'topology' | 'plan' | 'allocator'> {
  instances: Placement[]
}

export class Fleet {
  readonly #options: FleetOptions
  #current: NextFleet | undefined
  /** The plan as it was last logged, so that a reload without another plan does not repeat it and its warnings. */
  #loggedPlan: string | undefined
  readonly #retiring = new Set<Promise<void>>()

  constructor(options: FleetOptions) {
    this.#options = options
  }

  get current(): NextFleet {
    return this.#current!
  }
  get models(): readonly RunningModel[] {
    return this.#current?.models ?? []
  }
  get warnings(): PlanWarning[] {
    const { plan, config, allocator, models } = this.current
    return [
      ...plan.warnings,
      ...(config.cpu.hugePages ? hugePageWarnings(allocator) : []),
      ...models.flatMap(({ warnings }) => warnings),
    ]
  }

  /** Prepares what `config` asks for. If it rejects (with an error that says what to do), nothing has changed. */
  prepare(config: CandidateServerConfig, topology: Topology): Promise<NextFleet> {
    return this.#start(this.#plan(config, topology))
  }

  /** Prepares the same models for other CPUs. Only a reload may serve a file that has changed, so this then rejects. */
  async prepareMove(topology: Topology): Promise<NextFleet> {
    const { instances, ...planned } = this.#plan(this.current.config, topology)
    // a move is tried again and again, so it must not load models only to find this out
    for (const running of this.models) {
      const { served } = running
      if ((await this.#digestNow(running)) !== served.loaded.digest) throw filesChanged(served.name)
    }
    const context = { ...planned, ...this.#options }
    const moves = await allOrNone(
      this.models.map((running) => prepareMove(running, placementsOf(running.made.model, instances), context)),
      (move) => move.discard(),
    )
    return { ...planned, models: [...this.models], started: [], moves }
  }

  /** Makes `next` current; the models and instances it no longer contains answer what they have accepted and end. */
  takeOver(next: NextFleet): void {
    const before = this.models
    this.#current = next
    for (const move of next.moves) this.#untilEnded(move.takeOver())
    for (const old of before) if (!next.models.includes(old)) this.#retire(old)
  }

  async discard({ started, moves }: NextFleet): Promise<void> {
    await Promise.all([...started.map((running) => running.stop()), ...moves.map((move) => move.discard())])
  }

  async drain(deadlineMs: Milliseconds): Promise<void> {
    await Promise.all(this.models.map((running) => running.drain(deadlineMs)))
  }

  async stop(): Promise<void> {
    await Promise.all([...this.models.map((running) => running.stop()), ...this.#retiring])
  }

  #plan(config: CandidateServerConfig, topology: Topology): PlannedFleet {
    const allocator = findAllocator(config.cpu.allocator)
    const planned = { config, topology, allocator, ...planConfig(topology, config) }
    this.#logPlan(planned)
    return planned
  }

  #logPlan({ plan, instances, allocator }: PlannedFleet): void {
    const { logger } = this.#options
    const described = describePlan(plan, instances)
    if (described === this.#loggedPlan) return
    this.#loggedPlan = described
    logger.info({ plan: planJson(plan), isa: isaFlags(), allocator }, `CPU plan\n${described}`)
    for (const { code, message } of plan.warnings) logger.warn({ code }, message)
  }

  async #start({ instances, ...planned }: PlannedFleet): Promise<NextFleet> {
    const context = { ...planned, ...this.#options }
    const isNew = (running: RunningModel) => !this.models.includes(running)
    const models = await allOrNone(
      planned.config.models.map(async (model) => {
        const placements = placementsOf(model, instances)
        return (await this.#findSame(model, placements, context)) ?? startModel(model, placements, context)
      }),
      async (running) => isNew(running) && running.stop(),
    )
    return { ...planned, models, started: models.filter(isNew), moves: [] }
  }

  /** The running model that would be the same after the change, files included. */
  async #findSame(
    model: ModelConfig,
    placements: Placement[],
    context: ModelContext,
  ): Promise<RunningModel | undefined> {
    const made = { model, placements, settings: settingsOf(context) }
    const same = this.models.find((running) => isDeepStrictEqual(running.made, made))
    if (!same || findFile(model.path, context.folders) !== same.path) return undefined
    // if the file is broken, the instance that loads it reports that
    const digest = await this.#digestNow(same).catch(() => undefined)
    return digest === same.served.loaded.digest ? same : undefined
  }

  /** The digest that the files of a running model have now; rejects with an error that names one that cannot be read. */
  async #digestNow({ made: { model }, served: { loaded } }: RunningModel): Promise<string> {
    const { folders } = this.#options
    const path = requireFile(model, folders)
    // a replaced file may have other external data, but its digest then differs anyway
    const own = await digestModel(path, loaded.externalData).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`model ${model.name}: ${error.path} cannot be read (${error.code}); put it back`)
    })
    return digestWithAdapter(own, model, path, (file) => findFile(file, folders))
  }

  #retire(old: RunningModel): void {
    const { logger } = this.#options
    const { name, version, loaded } = old.served
    const retired = old.served
      .retire(this.current.config.limits.drainTimeout)
      .then(() => old.stop())
      .then(() => logger.info({ model: name, version, digest: loaded.digest }, 'a model was replaced and has ended'))
    this.#untilEnded(retired)
  }

  #untilEnded(ended: Promise<void>): void {
    const retiring = ended.finally(() => this.#retiring.delete(retiring))
    this.#retiring.add(retiring)
  }
}

const placementsOf = ({ name }: ModelConfig, instances: readonly Placement[]) =>
  instances.filter((placed) => placed.model === name)

/** Waits for all to settle: what is still being made when another fails must be found and undone. */
async function allOrNone<Value>(making: Promise<Value>[], undo: (made: Value) => Promise<unknown>): Promise<Value[]> {
  const results = await Promise.allSettled(making)
  const made = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value)
  const failed = results.find((result) => result.status === 'rejected')
  if (!failed) return made
  await Promise.all(made.map(undo))
  throw failed.reason
}
