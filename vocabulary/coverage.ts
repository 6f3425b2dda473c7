import { type Static, Type } from 'typebox'
import { failureKinds } from './outcome.ts'
import type { Bytes, Milliseconds } from './units.ts'

/** Why an exchange was not compared: an outcome word, or one of ours. `rejected`: the comparator would not take it. */
export const skipReasons = [...failureKinds, 'notSampled', 'noComparator', 'rejected'] as const
export type SkipReason = (typeof skipReasons)[number]

export const sizeClasses = ['le1KiB', 'le10KiB', 'le100KiB', 'le1MiB', 'gt1MiB'] as const
export type SizeClass = (typeof sizeClasses)[number]
export const sizeWords: Record<SizeClass, string> = {
  le1KiB: 'up to 1 KiB',
  le10KiB: '1 to 10 KiB',
  le100KiB: '10 to 100 KiB',
  le1MiB: '100 KiB to 1 MiB',
  gt1MiB: 'over 1 MiB',
}

/** The class of a request body's length; body size decides what gets lost, so coverage is judged per class. */
export function sizeClassOf(bodyBytes: Bytes): SizeClass {
  if (bodyBytes <= 1024) return 'le1KiB'
  if (bodyBytes <= 10 * 1024) return 'le10KiB'
  if (bodyBytes <= 100 * 1024) return 'le100KiB'
  return bodyBytes <= 1024 * 1024 ? 'le1MiB' : 'gt1MiB'
}

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

/** Where nothing has changed, a mirror still says this often that it is there. */
export const heartbeatMs: Milliseconds = 30_000

/** Part of a mirror's heartbeat: it mirrors for this validation on this route, whether or not anything arrives there. */
export const MirroredValidation = Type.Object({
  validation: Type.String({ minLength: 1, maxLength: 200 }),
  route: Type.String({ minLength: 1, description: "the route's path prefix" }),
})
export type MirroredValidation = Static<typeof MirroredValidation>
