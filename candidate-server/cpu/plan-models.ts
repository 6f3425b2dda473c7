import type { CpuPlan, Demand, PlannedInstance } from './cpu-plan.ts'
import { frontCpusOf, type PlanRequest, planCpus, planDemands, planShared } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { quotaWarning, sharedWarning } from './plan-warnings.ts'
import type { Topology } from './topology.ts'

/** What a model asks for: nothing but what is asked for all, counts of its own, or groups of different sizes. */
export interface ModelDemand {
  name: string
  instances?: number | undefined
  threads?: number | undefined
  groups?: readonly Demand[] | undefined
}

export interface ModelInstance extends PlannedInstance {
  model: string
  /** Of the model's groups, by number; 0 where it has none. */
  group: number
  /** Another instance has the same cores: idle threads must not spin. */
  shared: boolean
}

export interface ModelsPlan {
  plan: CpuPlan
  instances: ModelInstance[]
}

/**
 * The plan for several models. Those with counts of their own come first, the others share what is left: a count of
 * instances is for each of them, `auto` is shared out in turn, at least one each. Where the cores do not suffice for
 * that, the instances of all are spread over them evenly, with a warning; a model that does not fit by itself is refused.
 */
export function planModels(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const { plan, instances } = planApart(topology, request, models) ?? planTogether(topology, request, models)
  const ofAll = [...quotaWarning(topology, instances), ...sharedWarning(instances.filter(({ shared }) => shared))]
  const warnings = [...plan.warnings.filter(({ code }) => code !== 'QUOTA_THROTTLING'), ...ofAll]
  return { plan: { ...plan, warnings }, instances }
}

/** Each instance on cores of its own; `undefined` where several models do not fit so. */
function planApart(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan | undefined {
  const special = models.filter((model) => ownDemands(model, request))
  const alike = models.filter((model) => !ownDemands(model, request))
  try {
    if (special.length === 0) return planAlike(topology, request, alike)
    const first = placeOwn(topology, request, special)
    if (alike.length === 0) return first
    const rest = planAlike(without(topology, first.plan), request, alike)
    return rest && joined(topology, [first, rest])
  } catch (error) {
    if (!(error instanceof PlanError) || models.length === 1) throw error
    return undefined
  }
}

/** `undefined` where the model asks for nothing of its own. */
function ownDemands({ groups, instances, threads }: ModelDemand, request: PlanRequest): Demand[] | undefined {
  if (groups) return [...groups]
  if (instances === undefined && threads === undefined) return undefined
  const orOne = (count: number | 'auto') => (count === 'auto' ? 1 : count)
  return [{ instances: instances ?? orOne(request.instances), threads: threads ?? orOne(request.threads) }]
}

function placeOwn(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const asked = models.flatMap((model) =>
    ownDemands(model, request)!.map((demand, group) => ({ demand, model: model.name, group })),
  )
  const demands = asked.map(({ demand }) => demand)
  const { plan, placed } = planDemands(topology, demands, request.straddleNuma)
  const instances = placed.flatMap((slots, i) =>
    slots.map((slot) => ({ ...slot, model: asked[i]!.model, group: asked[i]!.group, shared: false })),
  )
  return { plan, instances }
}

/** `undefined` where there are too few slots for all. */
function planAlike(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan | undefined {
  const { instances: each } = request
  const plan = planCpus(topology, { ...request, instances: each === 'auto' ? each : each * models.length })
  if (plan.instances.length < models.length) return undefined
  const instances = models.flatMap(({ name }, m) =>
    plan.instances
      .filter((_, i) => i % models.length === m)
      .map((slot) => ({ ...slot, model: name, group: 0, shared: false })),
  )
  return { plan, instances }
}

/** The same cores for all. Throws a `PlanError` where a model does not fit by itself. */
function planTogether(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const alike = models.filter((model) => !ownDemands(model, request))
  const forAlike = alike.length > 0 ? planCpus(topology, request).instances : []
  const demands = models.map((model) => {
    const own = ownDemands(model, request)
    if (!own) return [partOf(forAlike, alike.indexOf(model), alike.length, request)]
    planDemands(topology, own, request.straddleNuma)
    return own
  })
  const forAll = alike.length === models.length ? request : undefined
  const { plan, placed } = planShared(topology, demands, request.straddleNuma, forAll)
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

/** What the `m`th of some models gets of one plan for all of them: `auto` shared out in turn, or so many for each. */
function partOf(slots: readonly PlannedInstance[], m: number, models: number, { instances }: PlanRequest): Demand {
  const inTurn = Math.ceil((slots.length - m) / models)
  return { instances: instances === 'auto' ? Math.max(1, inTurn) : instances, threads: slots[0]!.threads }
}

/** What is left of a machine once some cores are taken, siblings and quota with them. */
function without(topology: Topology, { instances }: CpuPlan): Topology {
  const used = new Set(instances.flatMap(({ cpus }) => cpus))
  const taken = new Set(
    topology.cores.filter(({ siblings }) => siblings.some((cpu) => used.has(cpu))).flatMap(({ siblings }) => siblings),
  )
  const quotaCpus = topology.quotaCpus === null ? null : topology.quotaCpus - used.size
  if (quotaCpus !== null && quotaCpus < 1) throw new PlanError('NO_CORES', 'the CPU quota leaves no core')
  return { ...topology, allowedCpus: topology.allowedCpus.filter((cpu) => !taken.has(cpu)), quotaCpus }
}

/** Plans of parts of one machine, or of all of it in turn, told as one. */
function joined(topology: Topology, parts: readonly ModelsPlan[]): ModelsPlan {
  const [first] = parts as [ModelsPlan]
  const placed = parts.flatMap(({ plan }) => plan.instances)
  const idle = parts.at(-1)!.plan.warnings
  return {
    plan: {
      ...first.plan,
      usableCores: [...new Set(parts.flatMap(({ plan }) => plan.usableCores))].sort((a, b) => a - b),
      quotaCpus: topology.quotaCpus,
      frontCpus: frontCpusOf(topology, placed),
      instances: placed.sort((a, b) => a.cpus[0]! - b.cpus[0]!),
      // cores that one part leaves idle are what the next one gets
      warnings: [...first.plan.warnings.filter(({ code }) => code !== 'IDLE_CORES'), ...idle].filter(
        ({ code }, i, all) => all.findIndex((other) => other.code === code) === i,
      ),
    },
    instances: parts.flatMap(({ instances }) => instances),
  }
}
