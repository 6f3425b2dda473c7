import { elementsMax } from '../answer.ts'
import { textOf } from './decode-body.ts'
import type { KeepDigits } from './parse-json.ts'

type Read = (view: DataView, offset: number, keep?: KeepDigits) => unknown

/** Little-endian, as Triton sends them. */
const readers: Record<string, { size: number; read: Read }> = {
  __proto__: null as never,
  BOOL: { size: 1, read: (view, at) => view.getUint8(at) !== 0 },
  UINT8: { size: 1, read: (view, at) => view.getUint8(at) },
  INT8: { size: 1, read: (view, at) => view.getInt8(at) },
  UINT16: { size: 2, read: (view, at) => view.getUint16(at, true) },
  INT16: { size: 2, read: (view, at) => view.getInt16(at, true) },
  UINT32: { size: 4, read: (view, at) => view.getUint32(at, true) },
  INT32: { size: 4, read: (view, at) => view.getInt32(at, true) },
  UINT64: { size: 8, read: (view, at, keep) => integer(view.getBigUint64(at, true), keep) },
  INT64: { size: 8, read: (view, at, keep) => integer(view.getBigInt64(at, true), keep) },
  FP16: { size: 2, read: (view, at) => view.getFloat16(at, true) },
  BF16: { size: 2, read: (view, at) => bfloat16(view.getUint16(at, true)) },
  FP32: { size: 4, read: (view, at) => view.getFloat32(at, true) },
  FP64: { size: 8, read: (view, at) => view.getFloat64(at, true) },
}

/** The elements of a binary tensor; `null` if the bytes are not of that datatype. */
export function readTensor(datatype: string, bytes: Buffer, keep?: KeepDigits): unknown[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (datatype === 'BYTES') return readStrings(view, bytes)
  const reader = readers[datatype]
  if (reader === undefined || bytes.length % reader.size !== 0 || bytes.length / reader.size > elementsMax) return null
  return Array.from({ length: bytes.length / reader.size }, (_, i) => reader.read(view, i * reader.size, keep))
}

function integer(value: bigint, keep: KeepDigits = Number): unknown {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : keep(String(value))
}

/** Each element is its length in four bytes, followed by that many bytes, of UTF-8 as a rule. */
function readStrings(view: DataView, bytes: Buffer): string[] | null {
  const strings: string[] = []
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length || strings.length === elementsMax) return null
    const end = at + 4 + view.getUint32(at, true)
    if (end > bytes.length) return null
    strings.push(textOf(bytes.subarray(at + 4, end)))
    at = end
  }
  return strings
}

const scratch = new DataView(new ArrayBuffer(4))

/** A bfloat16 is the upper half of a 32-bit float. */
function bfloat16(bits: number): number {
  scratch.setUint32(0, bits * 65536)
  return scratch.getFloat32(0)
}
