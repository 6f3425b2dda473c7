import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { textParts } from '../format/hidden-characters.ts'

/** Longer bodies, and those with bytes that a terminal would interpret, are sent as base64. */
const literalCharsMax = 4000
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/
const base64LineChars = 76

/**
 * A shell command that repeats the stored request against the address in `$UPSTREAM`. A client's data cannot become
 * commands: everything is quoted, and anything that a shell, a terminal or curl would interpret is encoded or left out.
 */
export function curlOf(request: NonNullable<ObservationDetail['request']>): string {
  const { method, path, headers = {}, body, bodyEncoding } = request
  const flags = [`curl --globoff --path-as-is -X ${quote(method.replace(/[^A-Za-z-]/g, ''))}`]
  flags.push(`"$UPSTREAM"${quote(encodePath(path))}`)
  for (const [name, value] of Object.entries(headers)) {
    if (fieldName.test(name) && isPlain(value)) flags.push(`-H ${quote(`${name}: ${value}`)}`)
  }
  if (body === undefined) return flags.join(' \\\n  ')
  if (bodyEncoding !== 'base64' && body.length <= literalCharsMax && isPlain(body)) {
    return [...flags, `--data-raw ${quote(body)}`].join(' \\\n  ')
  }
  const base64 = bodyEncoding === 'base64' ? body : toBase64(body)
  const lines = base64.match(new RegExp(`.{1,${base64LineChars}}`, 'g')) ?? []
  const command = [...flags, '--data-binary @-'].join(' \\\n  ')
  return `base64 -d <<'UNDERSTUDY_BODY' | ${command}\n${lines.join('\n')}\nUNDERSTUDY_BODY`
}

/** For a POSIX shell, where everything between single quotes is literal. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Stays on one origin: without a leading slash, a path such as `@elsewhere` would select another host. */
function encodePath(path: string): string {
  const own = path.startsWith('/') ? path : `/${path}`
  return own.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent)
}

function isPlain(text: string): boolean {
  return textParts(text, true).every((part) => typeof part === 'string')
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Headers left out of the command because a terminal would interpret them. */
export function headersLeftOut({ headers = {} }: NonNullable<ObservationDetail['request']>): string[] {
  return Object.entries(headers)
    .filter(([name, value]) => !fieldName.test(name) || !isPlain(value))
    .map(([name]) => name)
}
