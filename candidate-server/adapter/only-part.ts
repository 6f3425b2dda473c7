import type { IncomingHttpHeaders } from 'node:http'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { badInput } from '../errors.ts'

export interface Part {
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Returns a multipart body's only part, whether a file or a field; any other body unchanged. Throws a 400. */
export async function onlyPart(request: Part): Promise<Part> {
  if (!/^multipart\//i.test(request.headers['content-type'] ?? '')) return request
  try {
    return await parse(request)
  } catch (error) {
    throw badInput(`expected a multipart body with one part: ${(error as Error).message}`)
  }
}

function parse({ headers, body }: Part): Promise<Part> {
  return new Promise((resolve, reject) => {
    const limits = { parts: 1, fieldSize: body.length }
    const parser = new Busboy({ headers: headers as BusboyHeaders, limits })
    let part: Part | undefined
    const found = (bytes: Buffer, contentType: string) => {
      part = { headers: { ...headers, 'content-type': contentType }, body: bytes }
    }
    parser.on('file', (_field, stream, name, _encoding, contentType) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => found(Buffer.concat(chunks), typeOf(name, contentType)))
      stream.on('error', reject)
    })
    // forms do not declare a type for fields
    parser.on('field', (_field, value) => found(Buffer.from(value), ''))
    parser.on('partsLimit', () => reject(new Error('got more')))
    parser.on('error', reject)
    parser.on('finish', () => (part ? resolve(part) : reject(new Error('got none'))))
    parser.end(body)
  })
}

/** curl derives few types from file names, and JSON is not among them. */
const typeOf = (name: string | undefined, declared: string) =>
  declared === 'application/octet-stream' && name?.toLowerCase().endsWith('.json') ? 'application/json' : declared
