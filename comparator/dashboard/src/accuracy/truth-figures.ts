import type { Bounded } from '../../../../vocabulary/bounded.ts'
import { boundedText } from '../metrics/bounded-text.ts'

/** An estimate and what is known of its bound, in words. */
export function truthFigures(name: string, bounded: Bounded, isSigned: boolean): { estimate: string; bound: string } {
  const { estimate, bound } = boundedText(name, bounded, isSigned)
  const isUnbounded = bounded.lower === null && bounded.upper === null
  return { estimate, bound: bound ?? (isUnbounded ? 'too little evidence for a bound' : 'exact') }
}
