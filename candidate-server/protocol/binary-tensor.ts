import { badInput } from '../errors.ts'
import {
  arrayOfBytes,
  bytesOfArray,
  bytesPerElement,
  type ElementType,
  elementCount,
  type NumericArray,
  type Tensor,
} from '../tensor/tensor.ts'

/** Elements are little-endian; each text follows its length in four bytes. Throws a 400 if the size does not fit. */
export function tensorOfBytes(name: string, type: ElementType, shape: number[], bytes: Uint8Array): Tensor {
  const count = elementCount(shape)
  if (type === 'string') return { type, shape, data: decodeTexts(name, count, bytes) }
  const expected = count * bytesPerElement(type)
  if (bytes.length !== expected) {
    throw badInput(`${name}: expected ${expected} bytes for [${shape.join(', ')}], got ${bytes.length}`)
  }
  if (type === 'bool') {
    const wrong = bytes.findIndex((byte) => byte > 1)
    if (wrong >= 0) throw badInput(`${name}: expected bytes of 0 or 1, got ${bytes[wrong]} at element ${wrong}`)
  }
  return { type, shape, data: arrayOfBytes(type, bytes) }
}

export function encodeBinary({ type, data }: Tensor): Buffer {
  if (type !== 'string') {
    const bytes = bytesOfArray(data as NumericArray)
    return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)
  }
  return Buffer.concat(
    (data as string[]).flatMap((text) => {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return [length, bytes]
    }),
  )
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The runtime stores text, not bytes, and ends it at a NUL, so it would alter some byte strings; these are refused. */
export function decodeText(name: string, bytes: Uint8Array): string {
  if (!bytes.includes(0)) {
    try {
      return decoder.decode(bytes)
    } catch {}
  }
  throw badInput(`${name}: expected UTF-8 without NUL, as the model takes text; send other bytes as base64 or as UINT8`)
}

function decodeTexts(name: string, count: number, bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const texts: string[] = []
  let at = 0
  while (at + 4 <= bytes.length && texts.length < count) {
    const end = at + 4 + view.getUint32(at, true)
    if (end > bytes.length) break
    texts.push(decodeText(name, bytes.subarray(at + 4, end)))
    at = end
  }
  if (at !== bytes.length || texts.length !== count) {
    throw badInput(`${name}: expected ${count} texts, each after its length in 4 bytes, in ${bytes.length} bytes`)
  }
  return texts
}
