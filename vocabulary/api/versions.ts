import type { Static } from 'typebox'
import { named, nullable, Text } from '../schema.ts'

export const VersionsView = named('VersionsView', 'Which models are compared.', {
  primary: nullable(Text(), "the primary's version; null if it named none"),
  primaryDigest: nullable(Text(), "the digest of the primary's model file; null if not reported"),
  candidate: nullable(Text(), "the candidate's version; null if it named none"),
  candidateDigest: nullable(Text(), "the digest of the candidate's model file; null if not reported"),
})
export type VersionsView = Static<typeof VersionsView>
