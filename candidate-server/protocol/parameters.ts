import { badInput } from '../errors.ts'
import { describeValue } from '../tensor/describe-value.ts'
import { type Json, objectAt } from './json-body.ts'

export type Parameters = Record<string, string | number | boolean>

/** Parameters that other servers support and this one refuses, each with what to do instead. */
const refused: Record<string, string> = {
  shared_memory_region: 'shared memory is not served; send the data in the body',
  sequence_id: 'requests keep no state between them; send each sequence whole',
}

/** The `parameters` of a request, an input or an output. Unknown ones are accepted, as the protocol requires. */
export function parametersOf(holder: Json, place: string): Parameters {
  const at = place === '' ? 'parameters' : `${place}.parameters`
  // clients with a schema send null for omitted fields, here and inside
  if (holder.parameters === undefined || holder.parameters === null) return {}
  const parameters = objectAt(holder.parameters, at)
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) {
      delete parameters[name]
      continue
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw badInput(`${at}.${name}: expected a string, a number or a boolean, got ${describeValue(value)}`)
    }
    // a sequence id of zero means none
    if (Object.hasOwn(refused, name) && value !== 0 && value !== '') throw badInput(`${at}.${name}: ${refused[name]}`)
  }
  return parameters as Parameters
}

export function booleanParameter(parameters: Parameters, name: string, place: string): boolean | undefined {
  const value = parameters[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw badInput(`${place}.${name}: expected true or false, got ${describeValue(value)}`)
}

/** A non-negative integer. */
export function countParameter(parameters: Parameters, name: string, place: string): number | undefined {
  const value = parameters[name]
  if (value === undefined) return undefined
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw badInput(`${place}.${name}: expected a whole number from 0, got ${describeValue(value)}`)
}
