import { type Static, Type } from 'typebox'
import { failureKinds } from './outcome.ts'
import { sizeClasses } from './size-class.ts'

/** Why an exchange was not compared: an outcome word, or one of ours. `rejected`: the comparator would not take it. */
export const skipReasons = [...failureKinds, 'notSampled', 'noComparator', 'rejected'] as const
export type SkipReason = (typeof skipReasons)[number]

/**
 * What one mirror process saw and skipped in one minute: totals so far, not increments, so that repeating
 * a report changes nothing. `reporter` is unique to the process's life.
 */
export const CoverageReport = Type.Object({
  reporter: Type.String({ minLength: 1, maxLength: 100 }),
  validation: Type.String({ minLength: 1, maxLength: 200 }),
  minute: Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:00\\.000Z$',
    description: 'start of a minute, UTC',
  }),
  sizeClass: Type.Enum([...sizeClasses]),
  seen: Type.Integer({ minimum: 0 }),
  skipped: Type.Partial(
    Type.Object(Object.fromEntries(skipReasons.map((reason) => [reason, Type.Integer({ minimum: 0 })]))),
  ),
})
export type CoverageReport = Omit<Static<typeof CoverageReport>, 'skipped'> & {
  skipped: Partial<Record<SkipReason, number>>
}

/** Part of a mirror's heartbeat: it mirrors for this validation on this route, whether or not anything arrives there. */
export const MirroredValidation = Type.Object({
  validation: Type.String({ minLength: 1, maxLength: 200 }),
  route: Type.String({ minLength: 1, description: "the route's path prefix" }),
})
export type MirroredValidation = Static<typeof MirroredValidation>
