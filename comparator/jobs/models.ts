import type { Observation } from '../../vocabulary/observation.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import type { VersionsView } from '../../vocabulary/versions.ts'
import { storableText } from '../store/json.ts'
import type { WindowRow } from '../store/tables.ts'

const legs = [
  ['primary_version', 'primary_digest'],
  ['candidate_version', 'candidate_digest'],
] as const
const parts = legs.flat()

/** Both models of an observation or a window; '' where it says, or knows, nothing. */
export type Models = Pick<WindowRow, (typeof parts)[number]>
type Span = Pick<WindowRow, 'began_at' | 'last_at'>

export function modelsNamed({ primary, candidate }: Pick<Observation, 'primary' | 'candidate'>): Models {
  const text = (said: string | undefined) => storableText(said ?? '')
  return {
    primary_version: text(primary.version),
    primary_digest: text(primary.digest),
    candidate_version: text(candidate.version),
    candidate_digest: text(candidate.digest),
  }
}

/** Whether nothing of what both say differs. */
export function fits(known: Models, named: Models): boolean {
  return parts.every((part) => known[part] === '' || named[part] === '' || known[part] === named[part])
}

/** Whether it says of each model that is known by anything by what it is known, or one of it. */
export function namesAllOf(known: Models, named: Models): boolean {
  return legs.every((leg) => leg.every((part) => known[part] === '') || leg.some((part) => named[part] !== ''))
}

/** A leg that says nothing is the one that there was. */
export function withUnnamed(named: Models, before: Models | undefined): Models {
  const models = { ...named }
  for (const leg of legs) {
    if (before && leg.every((part) => named[part] === '')) for (const part of leg) models[part] = before[part]
  }
  return models
}

export function learn(known: Models, named: Models): void {
  for (const part of parts) known[part] ||= named[part]
}

/**
 * The window that a time falls in: of those that had begun the one with evidence up to then or the last before, of
 * several the last to begin; before all of them, the first.
 */
export function windowAt<Window extends Span>(windows: readonly Window[], at: EpochMs): Window | undefined {
  const knownUntil = ({ last_at }: Span) => Math.min(last_at.getTime(), at)
  const begun = windows.filter(({ began_at }) => began_at.getTime() <= at)
  const [last] = begun.toSorted((a, b) => knownUntil(b) - knownUntil(a) || +b.began_at - +a.began_at)
  return last ?? windows.toSorted((a, b) => +a.began_at - +b.began_at)[0]
}

export function viewModels(models: Models | undefined): VersionsView {
  const { primaryVersion, candidateVersion, ...digests } = subjectOf(models)
  return { primary: primaryVersion, candidate: candidateVersion, ...digests }
}

/** As an evaluation names them. */
export function subjectOf(models: Models | undefined) {
  return {
    primaryVersion: models?.primary_version || null,
    primaryDigest: models?.primary_digest || null,
    candidateVersion: models?.candidate_version || null,
    candidateDigest: models?.candidate_digest || null,
  }
}
