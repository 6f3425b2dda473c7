import { type Static, Type } from 'typebox'
import { CheckResult } from './gate.ts'
import { named, nullable, Time } from './schema.ts'

/** At most so many points has a sparkline. */
export const sparklinePointsMax = 40

export const DecidingCheck = named('DecidingCheck', {
  ...Type.Omit(CheckResult, ['text', 'reportOnly']).properties,
  /** The check's estimate step by step over the window, oldest first; `null` where a step has none. */
  sparkline: Type.Object({ from: Time, stepMs: Type.Number(), values: Type.Array(nullable(Type.Number())) }),
})
export type DecidingCheck = Static<typeof DecidingCheck>

/** What the overview draws of a validation, beside what `ValidationView` says in words. */
export const GlanceView = named('GlanceView', {
  /** Compared within the last five minutes, by the minute; `null` before the first observation. */
  samplesPerMinute: nullable(Type.Number()),
  /** The check of the model to draw: the first that fails, else the first undecided, else the one with the least room. */
  deciding: nullable(DecidingCheck),
  /** The check that the verdict rests on, also of how much evidence there is; `null` of a pass. */
  decides: nullable(CheckResult),
})
export type GlanceView = Static<typeof GlanceView>
