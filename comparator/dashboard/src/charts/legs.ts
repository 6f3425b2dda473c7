import type { Leg } from '../../../../vocabulary/observation.ts'

export const legs: readonly Leg[] = ['primary', 'candidate']
