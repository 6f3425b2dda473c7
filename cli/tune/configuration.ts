import { basename } from 'node:path'
import type { AllocatorChoice } from '../../candidate-server/config/cpu.ts'
import type { SessionConfig } from '../../candidate-server/config/session.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

export type AllocatorName = Exclude<AllocatorChoice, 'auto'>
export type GraphOptimization = SessionConfig['graphOptimization']
export const graphOptimizations: readonly GraphOptimization[] = ['all', 'layout', 'extended', 'basic', 'disabled']

/** What the tuner varies besides layout and batch, by name in the config. */
export const switchNames = [
  'allocator',
  'spinning',
  'hugePages',
  'graphOptimization',
  'memoryArena',
  'amx',
  'spaceToDepth',
] as const
export type SwitchName = (typeof switchNames)[number]

/** One value for everything that the tuner varies, in the config's terms. */
export interface Configuration {
  instances: number
  threads: number
  sizeMax: number
  delayMs: Milliseconds
  allocator: AllocatorName
  spinning: 'auto' | boolean
  hugePages: boolean
  graphOptimization: GraphOptimization
  memoryArena: boolean
  amx: boolean
  spaceToDepth: boolean
  /** A file other than the tuned model: the same model in another form, such as INT8. */
  also?: string
}

/** The same settings with another file; `undefined` for the tuned model. */
export function withFile({ also: _, ...settings }: Configuration, also: string | undefined): Configuration {
  return also === undefined ? settings : { ...settings, also }
}

export const keyOf = (configuration: Configuration) => JSON.stringify(Object.entries(configuration).sort())

export function describeConfiguration(configuration: Configuration): string {
  const { instances, threads, sizeMax, delayMs, also } = configuration
  const batch = `batch ${sizeMax}${delayMs > 0 ? ` within ${delayMs} ms` : ''}`
  return `${also === undefined ? '' : `${basename(also)}, `}${instances} × ${threads} thread${threads === 1 ? '' : 's'}, ${batch}, ${describeSwitches(configuration)}`
}

/** The allocator, and every switch that differs from its default. */
export function describeSwitches(configuration: Configuration): string {
  const { allocator, spinning, hugePages, graphOptimization, memoryArena, amx, spaceToDepth } = configuration
  return [
    allocator === 'none' ? 'system allocator' : allocator,
    ...(spinning === 'auto' ? [] : [spinning ? 'spinning between runs too' : 'no spinning']),
    ...(hugePages ? ['huge pages'] : []),
    ...(graphOptimization === 'all' ? [] : [`graph ${graphOptimization}`]),
    ...(memoryArena ? [] : ['no arena']),
    ...(amx ? [] : ['no AMX weights']),
    ...(spaceToDepth ? [] : ['no blocks']),
  ].join(', ')
}

/** The parts of the server's config that express it: `cpu:`, and the model's `batch:` and `session:`. */
export function sectionsOf(configuration: Configuration) {
  const { instances, threads, sizeMax, delayMs, allocator, spinning, hugePages } = configuration
  const { graphOptimization, memoryArena, amx, spaceToDepth } = configuration
  return {
    cpu: { instances, threads, allocator, spinning, hugePages },
    batch: { sizeMax, delayMax: `${delayMs}ms` },
    session: { graphOptimization, memoryArena, amx, spaceToDepth },
  }
}
