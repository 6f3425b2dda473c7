import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { KnownValidation } from '../comparator.ts'
import { refusedParameter } from '../errors.ts'

/** The mapping of an output by its name; '' is the main one. Throws `BAD_REQUEST` for an unknown one. */
export function mappingNamed({ name, policy }: KnownValidation, output: string): OutputMapping {
  if (output === '') return policy.output
  const outputs = policy.outputs ?? {}
  if (Object.hasOwn(outputs, output)) return outputs[output]!
  const known = Object.keys(outputs).join(', ') || 'none'
  throw refusedParameter('output', `an output of ${name}: besides its main one it has ${known}`, output)
}
