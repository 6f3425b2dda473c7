import type { Static } from 'typebox'
import { named, nullable, Text } from './schema.ts'

export const VersionsView = named('VersionsView', 'Which models are compared.', {
  primary: nullable(Text(), "the primary's version; null where it named none"),
  primaryDigest: nullable(Text(), "the digest of the primary's model file; null where it was not said"),
  candidate: nullable(Text(), "the candidate's version; null where it named none"),
  candidateDigest: nullable(Text(), "the digest of the candidate's model file; null where it was not said"),
})
export type VersionsView = Static<typeof VersionsView>
