import type { WindowRow } from '../../store/database/tables.ts'
import { newestWindowOf } from '../../store/gate/windows.ts'
import { skipsSince } from '../../store/intake/coverage.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { lastComparedBucket } from './last-compared.ts'
import { currentWindow, judgedSpan } from './read-evidence.ts'

/**
 * A key that changes with the evidence, and when the evidence becomes too old. Read it before the evidence itself, so
 * that an arrival in between is judged twice rather than missed.
 */
export async function stateOfEvidence({ db, clock }: Comparator, validation: KnownValidation): Promise<string> {
  const { policy, name } = validation
  const window = await currentWindow(db, validation)
  if (window === undefined) return `none ${await skipsSince(db, [name], clock.now() - policy.window.duration)}`
  const { from } = judgedSpan(policy, window)
  const floor = policy.noiseFloor && (await newestWindowOf(db, policy.noiseFloor, window))
  const names = policy.noiseFloor === undefined ? [name] : [name, policy.noiseFloor]
  const skips = await skipsSince(db, names, from)
  const ofWindows = [window, ...(floor ? [floor] : [])].map(({ id, revision }) => `${id}.${revision}`)
  const age = (await hasBecomeTooOld({ db, clock }, validation, window)) ? ['tooOld'] : []
  return [...ofWindows, skips, ...age].join(' ')
}

/** By the same rule as the gate's check, from the few buckets that may be new enough. */
async function hasBecomeTooOld(
  { db, clock }: Pick<Comparator, 'db' | 'clock'>,
  { policy }: KnownValidation,
  { id: windowId, bucket_ms: bucketMs, last_at }: WindowRow,
): Promise<boolean> {
  const { ageMax } = policy.window
  if (ageMax === undefined) return false
  const oldest = clock.now() - ageMax
  const lastAt = last_at.getTime()
  if (lastAt < oldest) return true
  const span = { from: oldest - bucketMs + 1, to: lastAt + 1 }
  return (await lastComparedBucket(db, { windowId, bucketMs, ...span })) === undefined
}
