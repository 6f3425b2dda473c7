import { type Static, Type } from 'typebox'
import { failureKinds } from './outcome.ts'
import { Count, named, ValidationName } from './schema.ts'
import { sizeClasses } from './size-class.ts'

/**
 * Why an exchange was not compared: an outcome word or a reason of the mirror's own. `rejected`: the comparator did not
 * accept the observation.
 */
export const skipReasons = [...failureKinds, 'notSampled', 'noComparator', 'rejected'] as const
export type SkipReason = (typeof skipReasons)[number]

export const CoverageReport = named(
  'CoverageReport',
  'what one mirror process saw and skipped in one minute: totals so far, not increments, so that repeating a report ' +
    'changes nothing',
  {
    reporter: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "a text of 1 to 100 characters that is unique to the mirror process's life",
    }),
    validation: ValidationName,
    minute: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:00\\.000Z$',
      description: 'start of a minute, UTC',
    }),
    sizeClass: Type.Enum([...sizeClasses], { description: 'by length of the request bodies' }),
    seen: Count('a whole number ≥ 0 of exchanges, skipped ones included'),
    skipped: Type.Partial(
      Type.Object(
        Object.fromEntries(skipReasons.map((reason) => [reason, Count(`a whole number ≥ 0 of exchanges, ${reason}`)])),
      ),
      { description: 'an object: how many were not compared, by reason' },
    ),
  },
)
export type CoverageReport = Omit<Static<typeof CoverageReport>, 'skipped'> & {
  skipped: Partial<Record<SkipReason, number>>
}

/**
 * The sum of a report's counts. None of them ever decreases, so of two reports with the same key the one with the
 * higher sum is the later.
 */
export const countsIn = ({ seen, skipped }: Pick<CoverageReport, 'seen' | 'skipped'>): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, seen)

export const MirroredValidation = named(
  'MirroredValidation',
  "part of a mirror's heartbeat: it mirrors for this validation on this route, whether or not anything arrives there",
  {
    validation: ValidationName,
    route: Type.String({ minLength: 1, description: "the route's path prefix" }),
  },
)
export type MirroredValidation = Static<typeof MirroredValidation>
