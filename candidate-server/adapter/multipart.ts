import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { badInput } from '../errors.ts'
import type { AdapterRequest } from './adapter.ts'

const partsMax = 16

/** Some clients send bytes without a file name. */
const isPartAFile = (_field: string | undefined, contentType: string | undefined, fileName: string | undefined) =>
  fileName !== undefined || contentType === 'application/octet-stream' || contentType?.startsWith('image/') === true

/** The first file of a multipart body, which is already in memory and within its limit. */
export function readMultipartFile(request: AdapterRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) =>
      reject(badInput(`expected a multipart body with one file: ${(error as Error).message}`))
    try {
      const parser = new Busboy({
        headers: request.headers as BusboyHeaders,
        limits: { files: 1, parts: partsMax },
        isPartAFile,
      })
      parser.on('file', (_field, stream) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => resolve(Buffer.concat(chunks)))
        stream.on('error', fail)
      })
      parser.on('error', fail)
      parser.on('finish', () => reject(badInput('expected a multipart body with one file, got none')))
      parser.end(request.body)
    } catch (error) {
      fail(error)
    }
  })
}
