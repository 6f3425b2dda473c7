import type { CpuPlan, Demand, PlannedInstance } from './cpu-plan.ts'
import { frontCpusOf, type PlanRequest, planCpus, planDemands } from './plan.ts'
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
 * that, all models stand on the same ones, with a warning; a model that does not fit by itself is refused.
 */
export function planModels(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const { plan, instances } = shareOut(topology, request, models)
  const ofAll = [...quotaWarning(topology, instances), ...sharedWarning(instances.filter(({ shared }) => shared))]
  const warnings = [...plan.warnings.filter(({ code }) => code !== 'QUOTA_THROTTLING'), ...ofAll]
  return { plan: { ...plan, warnings }, instances }
}

function shareOut(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const own = models.flatMap((model) => ownDemands(model, request) ?? [])
  if (own.length === 0) return planAlike(topology, request, models)
  const special = models.filter((model) => ownDemands(model, request))
  const alike = models.filter((model) => !ownDemands(model, request))
  try {
    const first = placeOwn(topology, request, special, false)
    if (alike.length === 0) return first
    const rest = planAlike(without(topology, first.plan), request, alike)
    if (!rest.instances.some(({ shared }) => shared)) return joined(topology, [first, rest])
  } catch (error) {
    if (!(error instanceof PlanError) || models.length === 1) throw error
  }
  return planShared(topology, request, special, alike)
}

/** `undefined` where the model asks for nothing of its own. */
function ownDemands({ groups, instances, threads }: ModelDemand, request: PlanRequest): Demand[] | undefined {
  if (groups) return [...groups]
  if (instances === undefined && threads === undefined) return undefined
  const orOne = (count: number | 'auto') => (count === 'auto' ? 1 : count)
  return [{ instances: instances ?? orOne(request.instances), threads: threads ?? orOne(request.threads) }]
}

function placeOwn(
  topology: Topology,
  request: PlanRequest,
  models: readonly ModelDemand[],
  shared: boolean,
): ModelsPlan {
  const asked = models.flatMap((model) =>
    ownDemands(model, request)!.map((demand, group) => ({ demand, model: model.name, group })),
  )
  const demands = asked.map(({ demand }) => demand)
  const { plan, placed } = planDemands(topology, demands, request.straddleNuma)
  const instances = placed.flatMap((slots, i) =>
    slots.map((slot) => ({ ...slot, model: asked[i]!.model, group: asked[i]!.group, shared })),
  )
  return { plan, instances }
}

/** Each model as if it were alone. */
function planShared(
  topology: Topology,
  request: PlanRequest,
  special: readonly ModelDemand[],
  alike: readonly ModelDemand[],
): ModelsPlan {
  const plans = special.map((model) => placeOwn(topology, request, [model], true))
  if (alike.length > 0) plans.push(planAlike(topology, request, alike))
  const whole = joined(topology, plans)
  return { plan: whole.plan, instances: whole.instances.map((instance) => ({ ...instance, shared: true })) }
}

function planAlike(topology: Topology, request: PlanRequest, models: readonly ModelDemand[]): ModelsPlan {
  const whole = planForAll(topology, request, models.length)
  const slots = whole.instances
  const auto = request.instances === 'auto'
  const shared = slots.length < models.length * (auto ? 1 : (request.instances as number))
  const slotsOf = (m: number) => {
    if (!shared) return slots.filter((_, i) => i % models.length === m)
    return auto ? [slots[m % slots.length]!] : slots
  }
  const instances = models.flatMap(({ name }, m) =>
    slotsOf(m).map((slot) => ({ ...slot, model: name, group: 0, shared })),
  )
  return { plan: whole, instances }
}

/** As many instances as all models ask for where they fit, else one model's, which the others then share. */
function planForAll(topology: Topology, request: PlanRequest, models: number): CpuPlan {
  const { instances } = request
  if (instances === 'auto' || models === 1) return planCpus(topology, request)
  try {
    return planCpus(topology, { ...request, instances: instances * models })
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return planCpus(topology, request)
  }
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
