import { type Leg, legs } from './leg.ts'
import { sideOf } from './mapping-side.ts'
import type { OutputMapping } from './output-mapping.ts'

/**
 * What clients meet who get the candidate's answers in the place of the primary's, in words: where a policy reads the two
 * sides differently, their answers differ in form. `null` where it reads both alike.
 */
export function differenceToClients(mapping: OutputMapping): string | null {
  const spelled = (leg: Leg, key: string) => {
    const value = (sideOf(mapping, leg) as Record<string, unknown>)[key]
    return value === undefined ? 'not there' : JSON.stringify(value)
  }
  const keys = new Set(legs.flatMap((leg) => Object.keys(mapping[leg] ?? {})))
  const differences = [...keys]
    .filter((key) => spelled('primary', key) !== spelled('candidate', key))
    .map((key) => `${key} is ${spelled('candidate', key)}, of the primary ${spelled('primary', key)}`)
  if ('labelMap' in mapping && mapping.labelMap) differences.push('labels have other names (labelMap)')
  if (differences.length === 0) return null
  return `Clients get the candidate’s answers as they are, in another form than the primary’s: ${differences.join('; ')}.`
}
