import { parseExactly } from '../../../vocabulary/json/parse-exactly.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { hasRows } from '../../../vocabulary/mapping/row-pointers.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { sizeClassOf } from '../../../vocabulary/size-class.ts'
import {
  absentValue,
  hourDimension,
  otherValue,
  parseSliceKey,
  sliceKey,
  sliceValueCharsMax,
  sliceValuesMax,
} from '../../../vocabulary/slice/slice-key.ts'
import type { SliceDefinition } from '../../../vocabulary/slice/slices.ts'
import type { Comparison } from '../../compare/compare-observation.ts'
import { decodeBody } from '../../compare/read/decode-body.ts'
import { headerIn } from '../../compare/read/header-in.ts'
import { resolvePointer } from '../../compare/read/resolve-pointer.ts'
import { bodyBytesOf } from './observation-contribution.ts'

/** Dimension → value, for one observation. */
export type SliceValues = Record<string, string>

/** Dimension → the values that have slices of their own in a window, in the order of arrival. */
export type KeptValues = Record<string, string[]>

/** The dimensions that a policy's traffic is sliced by. */
export function dimensionsOf({ output, slices = [] }: Pick<Policy, 'output' | 'slices'>): string[] {
  const builtIn = hasClass(output) ? ['route', 'bodySize', 'class'] : ['route', 'bodySize']
  return [...builtIn, hourDimension, ...slices.map(({ name }) => name)]
}

const hasClass = (output: OutputMapping) => output.kind === 'classification' && !hasRows(output)

/** An observation's value in every dimension except the hour. */
export function sliceValuesOf(policy: Policy, { request }: Observation, comparison: Comparison): SliceValues {
  const values: SliceValues = {
    route: pathOf(request.path),
    bodySize: sizeClassOf(bodyBytesOf(request)),
  }
  if (hasClass(policy.output)) {
    const primary = comparison.primary
    values.class = primary?.kind === 'class' ? cut(primary.label) : absentValue
  }
  if (policy.slices === undefined) return values
  const document = policy.slices.some((slice) => 'pointer' in slice) ? documentOf(request) : undefined
  for (const slice of policy.slices) values[slice.name] = userValueOf(slice, request, document)
  return values
}

export function hourOf(at: number): string {
  return String(new Date(at).getUTCHours()).padStart(2, '0')
}

/** The keys of all slices that an observation is in, apart from '' for all traffic. */
export function keysOf(values: SliceValues): string[] {
  return Object.entries(values).map(([dimension, value]) => sliceKey(dimension, value))
}

/**
 * The values by which the window counts an observation. The first 50 values of a dimension have slices of their own,
 * and so have those that the gate names, whenever they arrive; all others share one. Adds to `kept`, from which nothing
 * is ever removed, so that each value is counted whole.
 */
export function keepValues(values: SliceValues, kept: KeptValues, named: KeptValues): SliceValues {
  const found: SliceValues = {}
  for (const [dimension, value] of Object.entries(values)) {
    kept[dimension] = valuesIn(kept, dimension)
    found[dimension] = keepValue(value, kept[dimension], valuesIn(named, dimension))
  }
  return found
}

/** A dimension's values; none if it has no list. A dimension may be called `constructor`, which objects inherit. */
export function valuesIn(lists: KeptValues, dimension: string): string[] {
  return Object.hasOwn(lists, dimension) ? lists[dimension]! : []
}

function keepValue(value: string, kept: string[], named: string[]): string {
  if (kept.includes(value)) return value
  const isSpecial = (of: string) => of === otherValue || of === absentValue
  const reserved = named.filter((of) => !kept.includes(of)).length
  const taken = kept.filter((of) => !isSpecial(of)).length
  if (isSpecial(value) || named.includes(value) || taken + reserved < sliceValuesMax) {
    kept.push(value)
    return value
  }
  return keepValue(otherValue, kept, named)
}

const namedByPolicy = new WeakMap<Policy, KeptValues>()

/** The slice values that the policy's checks name. */
export function namedValues(policy: Policy): KeptValues {
  return namedByPolicy.getOrInsertComputed(policy, () => {
    const named: KeptValues = {}
    for (const { slice } of policy.gate) {
      const key = slice === undefined ? null : parseSliceKey(slice)
      if (key === null) continue
      const values = valuesIn(named, key.dimension)
      if (!values.includes(key.value)) named[key.dimension] = [...values, key.value]
    }
    return named
  })
}

function pathOf(path: string): string {
  const end = path.search(/[?#]/)
  return cut(end < 0 ? path : path.slice(0, end))
}

function userValueOf(slice: SliceDefinition, request: Observation['request'], document: unknown): string {
  if ('pointer' in slice) {
    const found = resolvePointer(document, slice.pointer)
    return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
      ? cut(String(found))
      : absentValue
  }
  return cut(headerIn(request.headers, slice.header) ?? '')
}

function documentOf(request: Observation['request']): unknown {
  const text = decodeBody(request)
  if (text === undefined) return undefined
  try {
    return parseExactly(text, String)
  } catch {
    return undefined
  }
}

/** A value fit to be a key in the database; an empty one counts as absent. */
function cut(text: string): string {
  const storable = text.slice(0, sliceValueCharsMax).replaceAll('\0', '\uFFFD').toWellFormed()
  return storable === '' ? absentValue : storable
}
