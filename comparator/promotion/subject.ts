/** Models and policy of an evaluation; `null` or absent where unknown. */
interface Subject {
  primaryVersion: string | null
  primaryDigest?: string | null
  candidateVersion: string | null
  candidateDigest?: string | null
  policyDigest: string
}

/** The subject of an evaluation or of the current evidence. Each window has its own models and policy. */
export interface Judged {
  window: Subject
  inputs?: { windowId: number | null }
}

/**
 * Changes of models and policy, in words. Within one window nothing changed, even if the window has learnt a version or
 * a digest since.
 */
export function changesOfSubject(before: Judged, now: Judged): string[] {
  const [windowBefore, windowNow] = [before.inputs?.windowId ?? null, now.inputs?.windowId ?? null]
  const isPolicySame = before.window.policyDigest === now.window.policyDigest
  if (isPolicySame && windowBefore === windowNow) return []
  // without evidence the models are unknown, which is no change
  const models = windowBefore === null || windowNow === null ? [] : modelChanges(before.window, now.window)
  const changes = [...models, ...(isPolicySame ? [] : ['the policy changed'])]
  if (changes.length > 0) return changes
  return [windowBefore === null ? 'the first evidence arrived' : 'a new window began']
}

/** Changes since the approval, in words. If it was given without evidence, it holds for any models under its policy. */
export function changesSinceApproval(approved: Judged, now: Judged): string[] {
  const wasModelKnown = (approved.inputs?.windowId ?? null) !== null
  return changesOfSubject(approved, wasModelKnown ? now : { ...now, inputs: { windowId: null } })
}

export function modelChanges(before: Omit<Subject, 'policyDigest'>, now: Omit<Subject, 'policyDigest'>): string[] {
  return [
    modelChange('primary', [before.primaryVersion, before.primaryDigest], [now.primaryVersion, now.primaryDigest]),
    modelChange(
      'candidate',
      [before.candidateVersion, before.candidateDigest],
      [now.candidateVersion, now.candidateDigest],
    ),
  ].filter((change) => change !== undefined)
}

type Model = [version: string | null, digest: string | null | undefined]

function modelChange(leg: string, [before, digestBefore]: Model, [now, digestNow]: Model): string | undefined {
  if (before !== now) return `the ${leg} is now version ${now ?? 'unknown'} (was ${before ?? 'unknown'})`
  // an unknown digest is no change
  if (!digestBefore || !digestNow || digestBefore === digestNow) return undefined
  return `the ${leg}'s model file is now ${short(digestNow)} (was ${short(digestBefore)})`
}

const short = (digest: string) => digest.replace(/^sha256:/, '').slice(0, 10)
