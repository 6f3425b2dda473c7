import { hourDimension, isHour, parseSliceKey } from '../../../vocabulary/slice/slice-key.ts'
import { dimensionsOf } from '../../metrics/contributions/slice-values.ts'
import type { KnownValidation } from '../comparator.ts'
import { refusedParameter } from '../errors.ts'

type NamedSlice = { dimension: string; value: string } | null

/**
 * A slice by its key; `null` for '', which is all traffic. Throws `BAD_REQUEST` for an unknown dimension, or what is no
 * hour.
 */
export function requireSlice({ policy }: Pick<KnownValidation, 'policy'>, key: string): NamedSlice {
  if (key === '') return null
  const parsed = parseSliceKey(key)
  const dimensions = dimensionsOf(policy)
  if (parsed?.dimension === hourDimension && !isHour(parsed.value)) {
    throw refusedParameter('slice', 'an hour from hour=00 to hour=23, in UTC', key)
  }
  if (parsed !== null && dimensions.includes(parsed.dimension)) return parsed
  throw refusedParameter('slice', `DIMENSION=VALUE with one of ${dimensions.join(', ')}`, key)
}
