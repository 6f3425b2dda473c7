export const legs = ['primary', 'candidate'] as const
export type Leg = (typeof legs)[number]
