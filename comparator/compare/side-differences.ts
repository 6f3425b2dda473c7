import { legs } from '../../vocabulary/leg.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { renameLabel } from './read/read-class.ts'
import { sideMappings } from './read/side-mappings.ts'

type Side = Record<string, unknown>

/** The defaults of a side's mapping. */
const defaults: Side = {
  protocol: 'json',
  scale: 1,
  offset: 0,
  format: 'xyxy',
  coordinates: 'pixel',
  item: { label: '/label', score: '/score' },
}

/** Keys that describe numbers or the body; all others are pointers. */
const values = [...Object.keys(defaults), 'imageSize', 'scoreMin']

/** Further differences are only counted. */
const toldMax = 6

/**
 * What would change for clients who get the candidate's answers instead of the primary's, in a sentence. Where a policy
 * reads the two sides differently, their answers differ in form. `null` if it reads both alike.
 */
export function differenceToClients({ output, outputs = {} }: Pick<Policy, 'output' | 'outputs'>): string | null {
  const further = Object.entries(outputs).flatMap(([name, mapping]) =>
    differencesOf(mapping).map((difference) => `outputs.${name}: ${difference}`),
  )
  return spellDifferences([...differencesOf(output), ...further])
}

export function spellDifferences(differences: readonly string[]): string | null {
  if (differences.length === 0) return null
  const told = differences.slice(0, toldMax)
  if (differences.length > toldMax) told.push(`${differences.length - toldMax} more`)
  return `Clients would get the candidate’s answers unchanged, in a different form from the primary’s: ${told.join('; ')}.`
}

function differencesOf(mapping: OutputMapping): string[] {
  const sides = sideMappings(mapping)
  const primary: Side = { ...defaults, ...sides.primary }
  const candidate: Side = { ...defaults, ...sides.candidate }
  const keys = new Set(legs.flatMap((leg) => Object.keys(mapping[leg] ?? {})))
  keys.delete('labels')
  const differences = [...keys]
    .filter((key) => JSON.stringify(primary[key]) !== JSON.stringify(candidate[key]))
    .map((key) => tell(key, primary[key], candidate[key]))
  const ofLabels = differenceOfLabels(mapping)
  return ofLabels === undefined ? differences : [...differences, ofLabels]
}

function tell(key: string, primary: unknown, candidate: unknown): string {
  const isValue = values.includes(key)
  const spelled = (value: unknown) => {
    if (typeof value !== 'string') return JSON.stringify(value)
    if (isValue) return value
    return value === '' ? 'as the whole body' : `at ${value}`
  }
  const has = primary === undefined ? 'none' : `${isValue ? '' : 'it '}${spelled(primary)}`
  return `${candidate === undefined ? `no ${key}` : `${key} ${spelled(candidate)}`}, where the primary has ${has}`
}

/** Compares labels by the primary's names. Labels in the config that name scores by position are not in the answers. */
function differenceOfLabels(mapping: OutputMapping): string | undefined {
  if (mapping.kind !== 'classification' && mapping.kind !== 'detection') return undefined
  const { labelMap = {} } = mapping
  const { primary, candidate } = sideMappings(mapping)
  const isRenamed = Object.entries(labelMap).some(([from, to]) => from !== to)
  const otherNames = isRenamed ? 'labels of other names (labelMap)' : undefined
  if (primary.kind !== 'classification' || candidate.kind !== 'classification') return otherNames
  const renamed = candidate.labels?.map((label) => renameLabel(labelMap, label))
  const areScored = primary.scores !== undefined || candidate.scores !== undefined
  if (areScored && renamed?.join('\0') !== primary.labels?.join('\0')) {
    return 'scores of other labels, or in another order (labels)'
  }
  return candidate.label !== undefined || candidate.labels === undefined ? otherNames : undefined
}
