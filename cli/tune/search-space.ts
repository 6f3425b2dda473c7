import type { AllocatorChoice } from '../../candidate-server/config/cpu.ts'
import { type PlanRequest, planCpus } from '../../candidate-server/cpu/plan.ts'
import { PlanError } from '../../candidate-server/cpu/plan-error.ts'
import type { Topology } from '../../candidate-server/cpu/topology.ts'
import { type Allocator, findAllocator } from '../../candidate-server/instance/allocator.ts'
import type { Rewriting } from '../../candidate-server/model-file/model-for-cpu.ts'
import {
  type AllocatorName,
  type Configuration,
  type GraphOptimization,
  graphOptimizations,
  type SwitchName,
} from './configuration.ts'

export interface Layout {
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
  /** Whether an instance may span NUMA nodes, as the config says. */
  straddleNuma?: boolean
}

const defaultSizes = [1, 2, 4, 8, 16, 32]
const defaultDelaysMs = [0, 1, 2, 5]

/**
 * All layouts that the planner accepts on this machine, and the allocators that are installed. Throws a `PlanError` if
 * no layout fits.
 */
export function searchSpace(topology: Topology, options: SpaceOptions): SearchSpace {
  const { straddleNuma = false } = options
  const { usableCores } = planCpus(topology, { instances: 'auto', threads: 1 })
  const counts = Array.from({ length: usableCores.length }, (_, i) => i + 1)
  const layouts = ascending(options.threads ?? counts).flatMap((threads) =>
    ascending(options.instances ?? counts).flatMap((instances) =>
      // planning thousands of layouts that cannot fit would take seconds on a large machine
      instances * threads <= counts.length && fits(topology, { instances, threads, straddleNuma })
        ? [{ instances, threads }]
        : [],
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

function fits(topology: Topology, request: PlanRequest): boolean {
  try {
    planCpus(topology, request)
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

/** In a batch of one, no request waits for others. */
export const batchOf = (sizeMax: number, delayMs: number) => ({ sizeMax, delayMs: sizeMax === 1 ? 0 : delayMs })
