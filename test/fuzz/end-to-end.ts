import type { Field } from './read-head.ts'
import { type Message, tokensOf } from './read-message.ts'

/** RFC 9110, 7.6.1. Framing is compared separately, and the markers are ours. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'expect',
  'x-understudy-shadow',
  'x-understudy-observation',
  // added by the mirror
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
])

/** The fields that must be equal on both sides: all or, for a plain connection, those that Node's messages preserve. */
export function endToEnd(message: Message, isPlain: boolean): Field[] {
  const named = new Set(tokensOf(message.fields, 'connection'))
  named.delete('host')
  const fields = message.fields.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
  return isPlain ? joined(fields) : fields
}

/** Sorts lower-case names and joins repeated fields to one list. */
function joined(fields: readonly Field[]): Field[] {
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return [...values]
    .map(([name, list]): Field => [name, list.join(', ').trimEnd()])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** How two values differ; for lists, the first items that do. */
export function differenceOf(what: string, got: unknown, wanted: unknown): string | undefined {
  if (JSON.stringify(got) === JSON.stringify(wanted)) return undefined
  const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 300)
  if (!Array.isArray(got) || !Array.isArray(wanted)) return `${what}: ${shown(got)}, not ${shown(wanted)}`
  let at = 0
  while (JSON.stringify(got[at]) === JSON.stringify(wanted[at])) at++
  return `${what}, from item ${at} on: ${shown(got.slice(at))}, not ${shown(wanted.slice(at))}`
}

/** Where two bodies differ, without printing all of them. */
export function bodyDifference(got: Buffer, wanted: Buffer): string | undefined {
  if (got.equals(wanted)) return undefined
  const at = got.findIndex((byte, i) => byte !== wanted[i])
  return `body: ${got.length} bytes, not ${wanted.length}, another from byte ${at < 0 ? got.length : at} on`
}
