import type { Loaders } from './compare-loaders.ts'
import type { FixedRateOutcome, FixedRateSide } from './measure-fixed-rate.ts'
import type { SaturatedOutcome, SaturatedSide } from './measure-saturated.ts'
import type { PayloadPlan } from './plan.ts'
import type { Stage } from './start.ts'

/** One request size on the named sides. */
export interface MeasuredPayload {
  plan: PayloadPlan
  sides: string[]
  saturated: SaturatedOutcome
  fixedRate: FixedRateOutcome
}

export interface Measured {
  stage: Stage
  main: MeasuredPayload
  others: MeasuredPayload[]
  loaders: Loaders
  /** Share of the machine's CPU used by processes other than the bench's during the run. */
  othersShare: number | undefined
}

export const saturatedOf = ({ saturated }: MeasuredPayload, name: string): SaturatedSide => saturated.sides.get(name)!
export const fixedRateOf = ({ fixedRate }: MeasuredPayload, name: string): FixedRateSide => fixedRate.sides.get(name)!
