import { badInput } from '../../errors.ts'
import { firstCharacter } from '../../protocol/json-body.ts'
import type { AdapterRequest } from '../adapter.ts'
import { firstFile, isMultipart } from '../multipart.ts'

const expectation = 'expected the bytes of an image file, multipart, or {"image": "base64 of the file"}'

/**
 * The image file in a request: a raw body, the first file of a multipart body, or base64 in JSON (data: URLs too).
 * Throws a 400.
 */
export async function imageFileOf(request: AdapterRequest): Promise<Buffer> {
  if (isMultipart(request)) return firstFile(request)
  const contentType = String(request.headers['content-type'] ?? '').toLowerCase()
  // no image file begins with a brace, and clients such as curl do not declare JSON
  if (!contentType.includes('json') && firstCharacter(request.body) !== '{') return request.body
  const document = request.json() as { image?: unknown } | null
  const image = document !== null && typeof document === 'object' ? document.image : undefined
  if (typeof image !== 'string') throw badInput(expectation)
  return bytesOfBase64(image)
}

function bytesOfBase64(text: string): Buffer {
  const url = /^data:[^,]{0,200},/.exec(text)?.[0]
  if (url !== undefined && !url.endsWith(';base64,')) throw badInput('image: expected a data: URL in base64')
  const base64 = url === undefined ? text : text.slice(url.length)
  // only one part may match a given space: otherwise a long run of spaces causes quadratic backtracking
  if (!/^[A-Za-z0-9+/_\s-]*(?:=\s*){0,2}$/.test(base64)) throw badInput('image: expected base64')
  return Buffer.from(base64, 'base64')
}
