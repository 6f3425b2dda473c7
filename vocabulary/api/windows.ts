import { type Static, Type } from 'typebox'
import { Policy } from '../policy.ts'
import { Count, Flag, named, nullable, Text, Time } from '../schema.ts'

export const EvidenceWindowView = named(
  'EvidenceWindowView',
  'A span of evidence: one pair of models, by version and digest, under one policy.',
  {
    id: Count('a number'),
    isCurrent: Flag('whether new observations count towards it'),
    beganAt: Time('its earliest observation'),
    lastAt: Time('its newest observation'),
    beganBecause: Text('what changed since the previous window'),
    primaryVersion: nullable(Text(), 'null if the primary named none'),
    primaryDigest: nullable(Text(), "digest of the primary's model file; null if not reported"),
    candidateVersion: nullable(Text(), 'null if the candidate named none'),
    candidateDigest: nullable(Text(), "digest of the candidate's model file; null if not reported"),
    policyDigest: Text('SHA-256 of the policy'),
    policy: Policy,
  },
)
export type EvidenceWindowView = Static<typeof EvidenceWindowView>

export const WindowsView = named('WindowsView', 'All spans of evidence of a validation.', {
  windows: Type.Array(EvidenceWindowView, { description: 'newest first' }),
})
export type WindowsView = Static<typeof WindowsView>
