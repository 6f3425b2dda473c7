import { type Static, Type } from 'typebox'
import { named, nullable } from './schema.ts'

/** Of both models, and the digests of their files; `null` where none was said. */
export const VersionsView = named('VersionsView', {
  primary: nullable(Type.String()),
  primaryDigest: nullable(Type.String()),
  candidate: nullable(Type.String()),
  candidateDigest: nullable(Type.String()),
})
export type VersionsView = Static<typeof VersionsView>
