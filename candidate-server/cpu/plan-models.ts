import { allowedCores } from './core-pool.ts'
import type { CpuPlan, Demand, PlannedInstance } from './cpu-plan.ts'
import { frontCpusOf, type PlanRequest, planCpus, planDemands, planShared } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { placementWarnings, sharedWarning } from './plan-warnings.ts'
import type { Topology } from './topology.ts'

/** What one model asks for: the defaults for all models, counts of its own, or groups of different sizes. */
export interface ModelDemand {
  name: string
  instances?: number | undefined
  threads?: number | undefined
  groups?: readonly Demand[] | undefined
}

export interface ModelInstance extends PlannedInstance {
  model: string
  /** Number of the model's group; 0 if it has none. */
  group: number
  /** Whether another instance uses the same cores. */
  shared: boolean
}

export interface ModelsPlan {
  plan: CpuPlan
  instances: ModelInstance[]
}

/**
 * Plans several models. Models with groups or counts of their own are placed first; the others share what is left. A
 * number of instances applies to each of them; `auto` is dealt out in turn, with at least one instance each. If there
 * are too few cores for that, `auto` becomes one instance and all instances are spread evenly over the cores, with a
 * warning. A model that does not fit even by itself is refused.
 */
export function planModels(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const [only] = models
  if (models.length === 1 && hasCounts(only!)) {
    const { name, instances = request.instances, threads = request.threads } = only!
    return planModels(topology, { ...request, instances, threads }, [{ name }])
  }
  const { plan, instances } = planApart(topology, request, models) ?? planTogether(topology, request, models)
  const warnings = [
    ...plan.warnings.filter(({ code }) => code === 'IDLE_CORES'),
    ...placementWarnings(topology, plan.smt, allowedCores(topology), instances),
    ...sharedWarning(instances.filter(({ shared }) => shared)),
  ]
  return { plan: { ...plan, warnings }, instances }
}

const hasCounts = ({ instances, threads, groups }: ModelDemand) =>
  !groups && (instances !== undefined || threads !== undefined)

/** Gives each instance its own cores; `undefined` if they do not fit. */
function planApart(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan | undefined {
  const own = ownDemands(request, models)
  const alike = models.filter((_, m) => !own[m])
  try {
    if (alike.length === models.length) return planAlike(topology, request, alike)
    const first = placeOwn(topology, request, models, own)
    if (alike.length === 0) return first
    const rest = planAlike(without(topology, first.plan), request, alike)
    return rest && joined(topology, first, rest)
  } catch (error) {
    if (error instanceof PlanError) return undefined
    throw error
  }
}

/**
 * The demands of each model that is placed by itself; `undefined` for models that share what is left. If every model
 * without groups has a number of instances and threads are `auto`, those without a number of threads share too, and so
 * get equal threads. In a model's own demands, `auto` is taken as one.
 */
function ownDemands(request: PlanRequest, models: readonly ModelDemand[]): (Demand[] | undefined)[] {
  const sharesThreads =
    request.threads === 'auto' && models.every((model) => model.groups || countOf(model, request) !== 'auto')
  return models.map((model) => {
    const isAlike = !model.groups && (!hasCounts(model) || (sharesThreads && model.threads === undefined))
    return isAlike ? undefined : leastDemands(request, model)
  })
}

/** With `auto` taken as one. */
function leastDemands(request: PlanRequest, model: ModelDemand): Demand[] {
  const orOne = (count: number | 'auto') => (count === 'auto' ? 1 : count)
  return model.groups
    ? [...model.groups]
    : [{ instances: orOne(countOf(model, request)), threads: model.threads ?? orOne(request.threads) }]
}

/** The number of instances a model asks for. */
const countOf = (model: ModelDemand, request: PlanRequest) => model.instances ?? request.instances

function placeOwn(
  topology: Topology,
  request: PlanRequest,
  models: readonly ModelDemand[],
  own: readonly (Demand[] | undefined)[],
): ModelsPlan {
  const asked = models.flatMap(({ name }, m) => (own[m] ?? []).map((demand, group) => ({ demand, model: name, group })))
  const demands = asked.map(({ demand }) => demand)
  const { plan, placed } = planDemands(topology, demands, request.straddleNuma)
  const instances = placed.flatMap((slots, i) =>
    slots.map((slot) => ({ ...slot, model: asked[i]!.model, group: asked[i]!.group, shared: false })),
  )
  return { plan, instances }
}

/** Returns `undefined` if there are too few slots for all. */
function planAlike(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan | undefined {
  const counts = models.map((model) => countOf(model, request))
  const total = counts.reduce((sum, count) => (sum === 'auto' || count === 'auto' ? 'auto' : sum + count), 0)
  const plan = planCpus(topology, { ...request, instances: total })
  if (plan.instances.length < models.length) return undefined
  // dealt out in turn, so that each model gets instances on every node
  const owners = models
    .flatMap(({ name }, m) => {
      const count = counts[m] === 'auto' ? plan.instances.length : counts[m]!
      return Array.from({ length: count }, (_, turn) => ({ name, turn }))
    })
    .sort((a, b) => a.turn - b.turn)
  const instances = plan.instances.map((slot, i) => ({ ...slot, model: owners[i]!.name, group: 0, shared: false }))
  return { plan, instances }
}

/**
 * Lets instances share cores; each `auto` becomes one instance of one thread. Throws if a model does not fit by itself.
 */
function planTogether(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const demands = models.map((model) => {
    const demands = leastDemands(request, model)
    planDemands(topology, demands, request.straddleNuma)
    return demands
  })
  const forAll = models.some((model) => model.groups || hasCounts(model)) ? undefined : request
  const { plan, placed } = planShared(topology, demands, forAll, request.straddleNuma)
  const cpus = placed.flat(2).flatMap(({ cpus }) => cpus)
  const taken = Map.groupBy(cpus, (cpu) => cpu)
  const isShared = (slot: PlannedInstance) => slot.cpus.some((cpu) => taken.get(cpu)!.length > 1)
  const instances = models.flatMap(({ name }, m) =>
    placed[m]!.flatMap((slots, group) =>
      slots.map((slot) => ({ ...slot, model: name, group, shared: isShared(slot) })),
    ),
  )
  return { plan, instances }
}

/** The rest of a machine once some cores are taken, along with their siblings and quota. */
function without(topology: Topology, { instances }: CpuPlan): Topology {
  const used = new Set(instances.flatMap(({ cpus }) => cpus))
  const taken = new Set(
    topology.cores.filter(({ siblings }) => siblings.some((cpu) => used.has(cpu))).flatMap(({ siblings }) => siblings),
  )
  const quotaCpus = topology.quotaCpus === null ? null : topology.quotaCpus - used.size
  if (quotaCpus !== null && quotaCpus < 1) throw new PlanError('NO_CORES', 'the CPU quota leaves no core')
  return { ...topology, allowedCpus: topology.allowedCpus.filter((cpu) => !taken.has(cpu)), quotaCpus }
}

/** Merges the plans for some models and for the rest of the machine, to which the cores that the first leave belong. */
function joined(topology: Topology, first: ModelsPlan, rest: ModelsPlan): ModelsPlan {
  const placed = [first, rest].flatMap(({ plan }) => plan.instances)
  const own = first.plan.instances.flatMap(({ cpus }) => cpus)
  return {
    plan: {
      ...rest.plan,
      usableCores: [...own, ...rest.plan.usableCores].sort((a, b) => a - b),
      quotaCpus: topology.quotaCpus,
      frontCpus: frontCpusOf(topology, placed),
      instances: placed.sort((a, b) => a.cpus[0]! - b.cpus[0]!),
    },
    instances: [...first.instances, ...rest.instances],
  }
}
