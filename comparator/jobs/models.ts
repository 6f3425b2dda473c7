import type { VersionsView } from '../../vocabulary/api/versions.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { storableText } from '../store/database/json.ts'
import type { WindowRow } from '../store/database/tables.ts'

const legs = [
  ['primary_version', 'primary_digest'],
  ['candidate_version', 'candidate_digest'],
] as const
const parts = legs.flat()

/** Versions and digests of both models, as an observation names or a window knows them; '' where unknown. */
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

/** Whether the two do not contradict each other. */
export function fits(known: Models, named: Models): boolean {
  return parts.every((part) => known[part] === '' || named[part] === '' || known[part] === named[part])
}

/** Whether `named` has a version or digest for each model that `known` has one for. */
export function namesAllOf(known: Models, named: Models): boolean {
  return legs.every((leg) => leg.every((part) => known[part] === '') || leg.some((part) => named[part] !== ''))
}

/** Completes `named`: a leg that names neither version nor digest takes both from `before`. */
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
 * The window that a time falls in: of those begun by then, the one with the latest evidence up to that time, and of
 * several such the last to begin. Before all windows, the first one.
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

/** Both models in the form that gate evaluations use. */
export function subjectOf(models: Models | undefined) {
  return {
    primaryVersion: models?.primary_version || null,
    primaryDigest: models?.primary_digest || null,
    candidateVersion: models?.candidate_version || null,
    candidateDigest: models?.candidate_digest || null,
  }
}
