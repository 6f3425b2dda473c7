import { type Static, Type } from 'typebox'
import { Policy } from './policy.ts'
import { named, nullable, Time } from './schema.ts'

/** A span of evidence: one pair of models, by version and digest, under one policy. */
export const EvidenceWindowView = named('EvidenceWindowView', {
  id: Type.Integer(),
  isCurrent: Type.Boolean(),
  beganAt: Time,
  lastAt: Time,
  /** What changed from the window before, in words. */
  beganBecause: Type.String(),
  primaryVersion: nullable(Type.String()),
  primaryDigest: nullable(Type.String()),
  candidateVersion: nullable(Type.String()),
  candidateDigest: nullable(Type.String()),
  policyDigest: Type.String(),
  policy: Policy,
})
export type EvidenceWindowView = Static<typeof EvidenceWindowView>

/** `GET /v1/validations/{name}/windows`, newest first. */
export const WindowsView = named('WindowsView', { windows: Type.Array(EvidenceWindowView) })
export type WindowsView = Static<typeof WindowsView>
