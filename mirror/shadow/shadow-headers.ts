import { isCredentialName } from '../../vocabulary/credential-names.ts'
import { observationHeader, shadowHeader } from '../../vocabulary/headers.ts'
import { connectionHeaders, type HeaderEditsConfig } from '../config/headers.ts'
import { asVariable, type Field, type Fields, field, isInvented, namedByConnection } from '../http1/fields.ts'

/**
 * Returns whether a header of the client's (in lower case) is dropped from the shadow leg. `allowed`: credentials that
 * cross; `removed`: what live requests lose too.
 */
export function droppedFromShadows(
  allowed: readonly string[],
  removed: readonly string[] = [],
): (name: string) => boolean {
  const crossing = new Set(allowed.map((name) => name.toLowerCase()))
  const gone = new Set([...connectionHeaders, ...removed.map((name) => asVariable(name.toLowerCase()))])
  return (name) => gone.has(asVariable(name)) || isInvented(name) || (isCredentialName(name) && !crossing.has(name))
}

/** The fields of a shadow request: the client's without those dropped, and our markers. */
export function shadowFields(fields: Fields, isDropped: (name: string) => boolean, observationId: string): Field[] {
  const named = namedByConnection(fields)
  // a client must not forge our markers
  const kept = fields.filter(({ name }) => !(isDropped(name) || markers.has(asVariable(name)) || named.has(name)))
  kept.push(shadowMark, field(observationHeader, observationId))
  return kept
}

const markers: ReadonlySet<string> = new Set([shadowHeader, observationHeader])
const shadowMark = field(shadowHeader, '1')

/**
 * A leg's own header edits. A value that is set replaces all that the client sent under that name, and may be a
 * credential, because it comes from the config and not from the client.
 */
export function fieldEdits({ set, remove }: HeaderEditsConfig): (fields: Field[]) => Field[] {
  const added = Object.entries(set).map(([name, value]) => field(name, value))
  const gone = new Set([...Object.keys(set), ...remove].map((name) => asVariable(name.toLowerCase())))
  if (gone.size === 0) return (fields) => fields
  return (fields) => [...fields.filter(({ name }) => !gone.has(asVariable(name))), ...added]
}

/**
 * Credentials that only copies carry. Such a candidate passes its validation with them, then refuses its clients once
 * it is live.
 */
export function credentialsOfCopiesAlone(copies: HeaderEditsConfig, live: HeaderEditsConfig): string[] {
  const onLive = new Set(Object.keys(live.set).map((name) => name.toLowerCase()))
  return Object.keys(copies.set)
    .map((name) => name.toLowerCase())
    .filter((name) => isCredentialName(name) && !onLive.has(name))
}
