import type { SizeClass } from './coverage.ts'
import type { OutputMapping } from './output-mapping.ts'
import type { SliceDefinition } from './slices.ts'
import type { Milliseconds } from './units.ts'

/** `primary`: the primary's own value of the same metric. `noiseFloor`: the metric of the primary against itself. */
export const relativeTo = ['primary', 'noiseFloor'] as const
export type RelativeTo = (typeof relativeTo)[number]

/** One condition: on the metric itself, or on its ratio to another, or on its difference from another. */
export interface GateCheck {
  metric: string
  /** The slice's key, such as `class=7`, that the metric is taken of; absent: of all the traffic. */
  slice?: string
  min?: number
  max?: number
  relativeTo?: RelativeTo
  minRatio?: number
  maxRatio?: number
  minDifference?: number
  maxDifference?: number
  reportOnly: boolean
}

/** What a validation demands before its candidate may be promoted. A change of it starts a new window. */
export interface Policy {
  output: OutputMapping
  /** Further outputs of the same answer, by name. */
  outputs?: Record<string, OutputMapping>
  /** What the traffic is cut by beside the built-in dimensions. */
  slices?: SliceDefinition[]
  window: {
    duration: Milliseconds
    samplesMin: number
    coverageMin: number
    /** Where a request size class needs more, or less, than `coverageMin`. */
    coverageMinBySize?: Partial<Record<SizeClass, number>>
    /** Whether each of a week's 168 hours must have been seen. */
    everyHourOfWeek?: boolean
    /** How old the newest evidence may be. */
    ageMax?: Milliseconds
  }
  /** 1 − α of each check's bound, in (0, 1). */
  confidence: number
  gate: GateCheck[]
  /** The validation that measures the primary against itself. */
  noiseFloor?: string
}

export interface Rollout {
  /** Live traffic of each step, %, ascending. */
  steps: number[]
  stepDuration: Milliseconds
  /** Whether the primary shadows the requests that the candidate answers. */
  reverseShadow: boolean
}
