import type { Policy } from './policy.ts'

/** A span of evidence: one pair of models, by version and digest, under one policy. `GET /v1/validations/{name}/windows`, newest first. */
export interface EvidenceWindowView {
  id: number
  isCurrent: boolean
  beganAt: string
  lastAt: string
  /** What changed from the window before, in words. */
  beganBecause: string
  primaryVersion: string | null
  primaryDigest: string | null
  candidateVersion: string | null
  candidateDigest: string | null
  policyDigest: string
  policy: Policy
}
