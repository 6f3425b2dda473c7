import { type SizeClass, sizeWords } from '../../../../vocabulary/size-class.ts'
import { otherValue } from '../../../../vocabulary/slice/slice-key.ts'
import type { SlicesView, SliceView } from '../../../../vocabulary/slice/slices.ts'

const dimensions: Record<string, string> = {
  route: 'route',
  bodySize: 'size of the request',
  class: 'predicted class',
  hour: 'hour of day, UTC',
}

/** A dimension's title; one named by the user keeps its name. */
export function dimensionWords(dimension: string): string {
  return dimensions[dimension] ?? dimension
}

/** The slice that combines all values beyond the limit. */
export function isRest({ value }: Pick<SliceView, 'value'>): boolean {
  return value === otherValue
}

export function valueWords(dimension: string, value: string): string {
  if (isRest({ value })) return 'all others together'
  if (dimension === 'bodySize') return sizeWords[value as SizeClass] ?? value
  return dimension === 'hour' && /^\d\d$/.test(value) ? `${value}:00 to ${value}:59` : value
}

export const betterWords: Record<SlicesView['better'], string> = {
  higher: 'higher is better',
  lower: 'lower is better',
  zero: 'nearer to 0 is better',
}
