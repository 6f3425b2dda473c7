/** What the search varies, one setting after the other. */
import type { Rewriting } from '../../candidate-server/model-file/model-for-cpu.ts'
import { type Configuration, type SwitchName, withFile } from './configuration.ts'
import type { Axis } from './search.ts'
import { batchOf, type Layout, type SearchSpace } from './search-space.ts'

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
