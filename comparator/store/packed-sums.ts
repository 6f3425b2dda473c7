import { sql } from 'kysely'
import type { Sum, Sums } from '../metrics/accumulate.ts'

const bytesPerSum = 40

/**
 * The sums of a group of rows of `rollup_sum` as one value, in the order of their `json_agg(measure)`: a month has tens of
 * thousands, and reading each as a row takes ten times longer.
 */
export const packedSums = sql`
  string_agg(int8send(n) || float8send(sum) || float8send(sum_sq) || float8send(min) || float8send(max), '')`

export function unpackSums(measures: readonly string[], packed: Uint8Array): Sums {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const sumAt = (offset: number): Sum => ({
    n: view.getUint32(offset) * 2 ** 32 + view.getUint32(offset + 4),
    sum: view.getFloat64(offset + 8),
    sumSq: view.getFloat64(offset + 16),
    min: view.getFloat64(offset + 24),
    max: view.getFloat64(offset + 32),
  })
  return new Map(measures.map((measure, i) => [measure, sumAt(i * bytesPerSum)]))
}
