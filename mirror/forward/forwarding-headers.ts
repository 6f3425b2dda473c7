import type { LiveHeadersConfig } from '../config/headers.ts'
import { type Field, field, fieldValue } from '../http1/fields.ts'
import type { LiveRequest } from '../live/live-watch.ts'

const ourName = 'understudy'

/** Adds who the client is and how its request came, as `headers:` in the config says. */
export function addForwarding(
  fields: Field[],
  request: LiveRequest,
  { xForwarded, forwarded, via }: LiveHeadersConfig,
): void {
  if (xForwarded) addForwardedFor(fields, request)
  if (forwarded) append(fields, 'Forwarded', forwardedOf(request))
  if (via) append(fields, 'Via', `${request.httpVersion} ${ourName}`)
}

function addForwardedFor(fields: Field[], request: LiveRequest): void {
  if (request.clientAddress !== undefined) append(fields, 'X-Forwarded-For', request.clientAddress)
  addMissing(fields, 'X-Forwarded-Proto', request.isTls ? 'https' : 'http')
  const host = fieldValue(request.fields, 'host')
  if (host) addMissing(fields, 'X-Forwarded-Host', host)
}

function forwardedOf({ clientAddress, isTls, fields }: LiveRequest): string {
  const node = clientAddress?.includes(':') ? `"[${clientAddress}]"` : (clientAddress ?? 'unknown')
  const host = fieldValue(fields, 'host')
  return `for=${node};proto=${isTls ? 'https' : 'http'}${host ? `;host="${host.replaceAll(/["\\]/g, '\\$&')}"` : ''}`
}

/** Appends to the last line of that name, which keeps its place. */
function append(fields: Field[], name: string, value: string): void {
  const at = fields.findLastIndex((one) => one.name === name.toLowerCase())
  const last = fields[at]
  if (last) fields[at] = { ...last, value: `${last.value}, ${value}`, line: `${last.line.trimEnd()}, ${value}` }
  else fields.push(field(name, value))
}

function addMissing(fields: Field[], name: string, value: string): void {
  const lower = name.toLowerCase()
  if (!fields.some((one) => one.name === lower)) fields.push(field(name, value))
}
