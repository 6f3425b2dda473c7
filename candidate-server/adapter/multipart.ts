import type { IncomingHttpHeaders } from 'node:http'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { badInput } from '../errors.ts'

/** A body, or one part of it, with its headers. */
export interface Part {
  headers: IncomingHttpHeaders
  body: Buffer
}

const partsMax = 16

export const isMultipart = ({ headers }: Pick<Part, 'headers'>) =>
  // media types are case-insensitive (RFC 9110, 8.3.1)
  /^multipart\//i.test(headers['content-type'] ?? '')

/** Returns a multipart body's only part, whether a file or a field; any other body unchanged. Throws a 400. */
export async function onlyPart(request: Part): Promise<Part> {
  if (!isMultipart(request)) return request
  const [part, ...more] = await partsOf(request, 'one part')
  if (!part || more.length > 0) throw notWith('one part', part ? 'got more' : 'got none')
  return { headers: { ...request.headers, 'content-type': part.contentType }, body: part.body }
}

/** The first file of a multipart body. Throws a 400. */
export async function firstFile(request: Part): Promise<Buffer> {
  const file = (await partsOf(request, 'one file')).find(({ isFile }) => isFile)
  if (!file) throw notWith('one file', 'got none')
  return file.body
}

interface FoundPart {
  isFile: boolean
  /** Empty for fields, for which forms do not declare a type. */
  contentType: string
  body: Buffer
}

/** The first parts of a multipart body, up to `partsMax`. */
async function partsOf(request: Part, expected: string): Promise<FoundPart[]> {
  try {
    return await parse(request)
  } catch (error) {
    throw notWith(expected, (error as Error).message)
  }
}

const notWith = (expected: string, why: string) => badInput(`expected a multipart body with ${expected}: ${why}`)

function parse({ headers, body }: Part): Promise<FoundPart[]> {
  return new Promise((resolve, reject) => {
    const limits = { parts: partsMax, fieldSize: body.length }
    const parser = new Busboy({ headers: headers as BusboyHeaders, limits, isPartAFile })
    const parts: FoundPart[] = []
    parser.on('file', (_field, stream, name, _encoding, contentType) => {
      const part = { isFile: true, contentType: typeOf(name, contentType), body: Buffer.alloc(0) }
      const chunks: Buffer[] = []
      parts.push(part)
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        part.body = Buffer.concat(chunks)
      })
      stream.on('error', reject)
    })
    parser.on('field', (_field, value) => parts.push({ isFile: false, contentType: '', body: Buffer.from(value) }))
    parser.on('error', reject)
    parser.on('finish', () => resolve(parts))
    parser.end(body)
  })
}

/** Some clients send bytes without a file name. */
const isPartAFile = (_field: string | undefined, contentType: string | undefined, fileName: string | undefined) =>
  fileName !== undefined || contentType === 'application/octet-stream' || contentType?.startsWith('image/') === true

/** curl derives few types from file names, and JSON is not among them. */
const typeOf = (name: string | undefined, declared: string) =>
  declared === 'application/octet-stream' && name?.toLowerCase().endsWith('.json') ? 'application/json' : declared
