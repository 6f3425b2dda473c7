import { isCredentialName } from '../../vocabulary/credential-names.ts'
import { observationHeader, shadowHeader } from '../../vocabulary/headers.ts'
import type { HeaderEditsConfig } from '../config/headers.ts'
import { asVariable, type Field, type Fields, field, isInvented, namedByConnection } from '../http1/fields.ts'

/** Framing is the shadow connection's own; `expect` and `upgrade` are between the client and us. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
])

/** Names, in lower case, that no edit of a leg's headers may touch. */
export const uneditableHeaders: ReadonlySet<string> = new Set([...connectionHeaders, shadowHeader, observationHeader])

/** Whether a header, in lower case, stays behind, given the names that the config lets through. */
export function staysBehind(allowed: readonly string[]): (name: string) => boolean {
  const crossing = new Set(allowed.map((name) => name.toLowerCase()))
  return (name) =>
    connectionHeaders.has(asVariable(name)) || isInvented(name) || (isCredentialName(name) && !crossing.has(name))
}

/** What of the client's fields crosses, and our markers. The host is the upstream's own where that speaks TLS. */
export function shadowFields(fields: Fields, isDropped: (name: string) => boolean, observationId: string): Field[] {
  const named = namedByConnection(fields)
  // markers that a client sent are no markers
  const kept = fields.filter(({ name }) => !(isDropped(name) || markers.has(asVariable(name)) || named.has(name)))
  kept.push(shadowMark, field(observationHeader, observationId))
  return kept
}

const markers: ReadonlySet<string> = new Set([shadowHeader, observationHeader])
const shadowMark = field(shadowHeader, '1')

/**
 * A leg's own edits. What is set stands in place of all that the client sent under that name, and may be a credential:
 * it is the config's, not the client's.
 */
export function fieldEdits({ set, remove }: HeaderEditsConfig): (fields: Field[]) => Field[] {
  const added = Object.entries(set).map(([name, value]) => field(name, value))
  const gone = new Set([...Object.keys(set), ...remove].map((name) => asVariable(name.toLowerCase())))
  if (gone.size === 0) return (fields) => fields
  return (fields) => [...fields.filter(({ name }) => !gone.has(asVariable(name))), ...added]
}

/** A candidate that answers its copies by a key of its own passes, and would turn its clients away once it is live. */
export function credentialsOfCopiesAlone(copies: HeaderEditsConfig, live: HeaderEditsConfig): string[] {
  const onLive = new Set(Object.keys(live.set).map((name) => name.toLowerCase()))
  return Object.keys(copies.set)
    .map((name) => name.toLowerCase())
    .filter((name) => isCredentialName(name) && !onLive.has(name))
}
