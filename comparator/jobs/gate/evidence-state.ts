import { isTooOld } from '../../gate/judge-evidence.ts'
import { skipsSince } from '../../store/coverage.ts'
import { newestWindowOf } from '../../store/windows.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { currentWindow, freshnessOf, judgedSpan } from './read-evidence.ts'

/**
 * A key that changes with the evidence, and when the evidence becomes too old. Read it before the evidence itself, so
 * that an arrival in between is judged twice rather than missed.
 */
export async function stateOfEvidence({ db, clock }: Comparator, validation: KnownValidation): Promise<string> {
  const { policy, name } = validation
  const window = await currentWindow(db, validation)
  if (window === undefined) return 'none'
  const { from } = judgedSpan(policy, window)
  const floor = policy.noiseFloor && (await newestWindowOf(db, policy.noiseFloor, window))
  const names = policy.noiseFloor === undefined ? [name] : [name, policy.noiseFloor]
  const skips = await skipsSince(db, names, from)
  const ofWindows = [window, ...(floor ? [floor] : [])].map(({ id, revision }) => `${id}.${revision}`)
  const age = isTooOld(policy.window.ageMax, freshnessOf(policy, window, clock.now())) ? ['tooOld'] : []
  return [...ofWindows, skips, ...age].join(' ')
}
