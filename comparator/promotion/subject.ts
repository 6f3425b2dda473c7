/** What is judged, and by what. `null` or absent: not known. */
interface Subject {
  primaryVersion: string | null
  primaryDigest?: string | null
  candidateVersion: string | null
  candidateDigest?: string | null
  policyDigest: string
}

/** What an evaluation, or the evidence of now, is of. Windows are told apart by models and policy. */
export interface Judged {
  window: Subject
  inputs?: { windowId: number | null }
}

/**
 * What of models and policy is another, in words. A window that has learnt a version or a digest since is the same one,
 * and so are its models.
 */
export function changesOfSubject(before: Judged, now: Judged): string[] {
  const [windowBefore, windowNow] = [before.inputs?.windowId ?? null, now.inputs?.windowId ?? null]
  const isPolicySame = before.window.policyDigest === now.window.policyDigest
  if (isPolicySame && windowBefore === windowNow) return []
  // without evidence no model is known, rather than another one
  const models = windowBefore === null || windowNow === null ? [] : modelChanges(before.window, now.window)
  const changes = [...models, ...(isPolicySame ? [] : ['the policy changed'])]
  if (changes.length > 0) return changes
  return [windowBefore === null ? 'the first evidence came' : 'the evidence began anew']
}

/** What is another than was approved, in words. Without evidence no model was known to be, and the policy was. */
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
  if (before !== now) return `the ${leg} is version ${now ?? 'unknown'}, was ${before ?? 'unknown'}`
  // a digest that is not known is not another one
  if (!digestBefore || !digestNow || digestBefore === digestNow) return undefined
  return `the ${leg}'s model file changed: it is ${short(digestNow)}, was ${short(digestBefore)}`
}

const short = (digest: string) => digest.replace(/^sha256:/, '').slice(0, 10)
