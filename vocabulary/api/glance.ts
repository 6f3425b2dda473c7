import { type Static, Type } from 'typebox'
import { Duration, Num, named, nullable, Time } from '../schema.ts'
import { CheckResult } from './gate.ts'

/** The most points that a sparkline has. */
export const sparklinePointsMax = 40

const { text: _text, reportOnly: _reportOnly, ...drawn } = CheckResult.properties

export const DecidingCheck = named('DecidingCheck', 'A check of the model, and how it developed.', {
  ...drawn,
  sparkline: Type.Object(
    {
      from: Time('start of the first step'),
      stepMs: Duration('length of a step'),
      values: Type.Array(nullable(Type.Number()), { description: 'null for a step that has none' }),
    },
    { description: "the check's estimate step by step over the window, oldest first" },
  ),
})
export type DecidingCheck = Static<typeof DecidingCheck>

export const GlanceView = named('GlanceView', 'What the overview shows of a validation.', {
  samplesPerMinute: nullable(
    Num(),
    'exchanges compared a minute, over the last five minutes; null before the first observation',
  ),
  deciding: nullable(
    DecidingCheck,
    'the check of the model to show: the first that fails, else the first undecided, else the one with the least ' +
      'margin; null if there is none',
  ),
  decides: nullable(
    CheckResult,
    'the check that the verdict rests on, which may be one of the amount of evidence; null for a pass',
  ),
})
export type GlanceView = Static<typeof GlanceView>
