import { planCpus } from '../../candidate-server/cpu/plan.ts'
import { PlanError } from '../../candidate-server/cpu/plan-error.ts'
import type { Topology } from '../../candidate-server/cpu/topology.ts'
import { type Allocator, type AllocatorChoice, findAllocator } from '../../candidate-server/instance/allocator.ts'
import type { Rewriting } from '../../candidate-server/model-file/model-for-cpu.ts'
import {
  type AllocatorName,
  type Configuration,
  type GraphOptimization,
  graphOptimizations,
  type SwitchName,
  withFile,
} from './configuration.ts'
import type { Axis } from './search.ts'

interface Layout {
  instances: number
  threads: number
}

/**
 * What is searched. Numbers are in ascending order, in which the search follows them, even if the user lists them
 * otherwise.
 */
export interface SearchSpace {
  layouts: Layout[]
  sizes: number[]
  delaysMs: number[]
  allocators: AllocatorName[]
  switches: SwitchName[]
  graphOptimizations: readonly GraphOptimization[]
  /** Files in addition to the model's own. */
  also: string[]
  /** The rewritings that this CPU has for each file; the model's own file is `undefined`. */
  rewritings: ReadonlyMap<string | undefined, readonly Rewriting[]>
}

interface SpaceOptions {
  instances?: number[] | undefined
  threads?: number[] | undefined
  sizes?: number[] | undefined
  delaysMs?: number[] | undefined
  switches: SwitchName[]
  /** The only batch size that the model takes; `undefined` if it takes any. */
  fixedSize?: number | undefined
  also?: string[] | undefined
  rewritings?: SearchSpace['rewritings'] | undefined
  /** Tries every level of graph optimisation, not only those likely to be best. */
  exhaustive?: boolean
}

const defaultSizes = [1, 2, 4, 8, 16, 32]
const defaultDelaysMs = [0, 1, 2, 5]

/**
 * All layouts that the planner accepts on this machine, and the allocators that are installed. Throws a `PlanError` if
 * no layout fits.
 */
export function searchSpace(topology: Topology, options: SpaceOptions): SearchSpace {
  const { usableCores } = planCpus(topology, { instances: 'auto', threads: 1 })
  const counts = Array.from({ length: usableCores.length }, (_, i) => i + 1)
  const layouts = ascending(options.threads ?? counts).flatMap((threads) =>
    ascending(options.instances ?? counts).flatMap((instances) =>
      fits(topology, { instances, threads }) ? [{ instances, threads }] : [],
    ),
  )
  if (layouts.length === 0) {
    throw new PlanError(
      'TOO_MANY_THREADS',
      `none of the asked instances × threads fits the ${usableCores.length} usable core(s) here`,
    )
  }
  return {
    layouts,
    sizes: options.fixedSize === undefined ? ascending(options.sizes ?? defaultSizes) : [options.fixedSize],
    delaysMs: ascending(options.delaysMs ?? defaultDelaysMs),
    allocators: installedAllocators(),
    switches: options.switches,
    graphOptimizations: options.exhaustive ? graphOptimizations : ['all', 'extended'],
    also: options.also ?? [],
    rewritings: options.rewritings ?? new Map(),
  }
}

const ascending = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b)

function fits(topology: Topology, layout: Layout): boolean {
  try {
    planCpus(topology, layout)
    return true
  } catch (error) {
    if (error instanceof PlanError) return false
    throw error
  }
}

function installedAllocators(): AllocatorName[] {
  const installed = (['jemalloc', 'tcmalloc'] as const).filter((name) => find(name)?.kind === 'preloaded')
  return [...installed, 'none']
}

function find(choice: AllocatorChoice): Allocator | undefined {
  try {
    return findAllocator(choice)
  } catch {
    return undefined
  }
}

/** The server's own defaults, or the nearest point in the space: the row that all others are compared with. */
export function startOf({ layouts, sizes, delaysMs, allocators }: SearchSpace): Configuration {
  const widest = layouts.toSorted(
    (a, b) => b.instances * b.threads - a.instances * a.threads || b.instances - a.instances,
  )
  const sizeMax = sizes.includes(8) ? 8 : sizes.at(-1)!
  return {
    ...widest[0]!,
    ...batchOf(sizeMax, delaysMs[0]!),
    allocator: allocators[0]!,
    spinning: 'auto',
    hugePages: false,
    graphOptimization: 'all',
    memoryArena: true,
    amx: true,
    spaceToDepth: true,
  }
}

/** instances × threads, batch size and delay. */
export function mainAxes(space: SearchSpace): Axis<Configuration>[] {
  return [fullLayouts(space), fewerInstances(space), ...batchAxes(space)]
}

/** The same for an exhaustive search, with every possible layout. */
export function allMainAxes(space: SearchSpace): Axis<Configuration>[] {
  const layouts: Axis<Configuration> = {
    name: 'instances × threads',
    kind: 'unordered',
    variants: (at) => space.layouts.map((layout) => ({ ...at, ...layout })),
  }
  return [layouts, ...batchAxes(space)]
}

/** In a batch of one, no request waits for others. */
const batchOf = (sizeMax: number, delayMs: number) => ({ sizeMax, delayMs: sizeMax === 1 ? 0 : delayMs })

function batchAxes({ sizes, delaysMs }: SearchSpace): Axis<Configuration>[] {
  return [
    {
      name: 'batch',
      kind: 'ordered',
      variants: (at) =>
        sizes.map((sizeMax) => ({ ...at, ...batchOf(sizeMax, at.sizeMax === 1 ? delaysMs[0]! : at.delayMs) })),
    },
    {
      name: 'delay',
      kind: 'ordered',
      variants: (at) => (at.sizeMax === 1 ? [at] : delaysMs.map((delayMs) => ({ ...at, delayMs }))),
    },
  ]
}

/** From one wide instance to many narrow ones, each layout using as many cores as it can. */
function fullLayouts({ layouts }: SearchSpace): Axis<Configuration> {
  const isFull = ({ instances, threads }: Layout) =>
    !layouts.some(
      (other) =>
        (other.threads === threads && other.instances > instances) ||
        (other.instances === instances && other.threads > threads),
    )
  const full = layouts.filter(isFull).sort((a, b) => a.instances - b.instances)
  return {
    name: 'instances × threads',
    kind: 'ordered',
    // if another axis has removed instances, the layout with the same number of threads stays without them
    variants: (at) => full.map((layout) => (layout.threads === at.threads ? at : { ...at, ...layout })),
  }
}

/** Leaves cores free for the front, or in case they are SMT siblings. */
function fewerInstances({ layouts }: SearchSpace): Axis<Configuration> {
  return {
    name: 'instances',
    kind: 'ordered',
    variants: (at) => {
      const counts = layouts.filter(({ threads }) => threads === at.threads).map(({ instances }) => instances)
      const most = Math.max(...counts)
      const few = [Math.floor(most / 2), most - 1, most, at.instances]
      return counts.filter((count) => few.includes(count)).map((instances) => ({ ...at, instances }))
    },
  }
}

/** Varied once the layout and the batch have been found, and then together with them. */
export function switchAxes(space: SearchSpace): Axis<Configuration>[] {
  const { allocators, switches, graphOptimizations, rewritings } = space
  // varied only if it changes the file
  const rewriting = (name: Rewriting) => (at: Configuration) =>
    rewritings.get(at.also)?.includes(name) ? [true, false].map((turned) => ({ ...at, [name]: turned })) : [at]
  const variants: Record<SwitchName, (at: Configuration) => Configuration[]> = {
    allocator: (at) => allocators.map((allocator) => ({ ...at, allocator })),
    // with one thread there is no other to wait for
    spinning: (at) =>
      at.threads === 1 ? [at] : (['auto', true, false] as const).map((spinning) => ({ ...at, spinning })),
    hugePages: (at) => [false, true].map((hugePages) => ({ ...at, hugePages })),
    graphOptimization: (at) => graphOptimizations.map((graphOptimization) => ({ ...at, graphOptimization })),
    memoryArena: (at) => [true, false].map((memoryArena) => ({ ...at, memoryArena })),
    amx: rewriting('amx'),
    spaceToDepth: rewriting('spaceToDepth'),
  }
  return switches.map((name) => ({ name, kind: 'unordered', variants: variants[name] }))
}

/** The model in each of its files: varied last, after everything else has been tried with its own file. */
export function fileAxes({ also }: SearchSpace): Axis<Configuration>[] {
  if (also.length === 0) return []
  return [
    { name: 'model', kind: 'unordered', variants: (at) => [undefined, ...also].map((file) => withFile(at, file)) },
  ]
}
