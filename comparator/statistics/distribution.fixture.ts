/** For tests: a sample of raw values, which weigh one each. */
import type { Distribution } from './distribution.ts'

export function distributionOfValues(sample: number[]): Distribution {
  const values = Float64Array.from(sample).sort()
  return { values, upTo: values.map((_, i) => i + 1), total: values.length }
}
