import type { Bins } from '../../statistics/bin-counts.ts'
import type { Sum, Sums } from '../../statistics/sums.ts'
import { toJson } from '../database/json.ts'
import { decodeHistogram, encodeHistogram } from './histogram-bytes.ts'

/**
 * The stored format of a bucket's rollup: the length of the names in four bytes and the measures' names as a JSON
 * array; then, in their order, for each sum n as an 8-byte integer and sum, sumSq, min and max as 8-byte floats, or for
 * each histogram its length in four bytes and its own format. All is big-endian. A bucket without measures is empty.
 */
const bytesPerSum = 40
const bytesPerLength = 4

export function encodeSums(sums: Sums): Buffer {
  if (sums.size === 0) return Buffer.alloc(0)
  const { names, head } = headOf(sums)
  const values = Buffer.allocUnsafe(names.length * bytesPerSum)
  let at = 0
  for (const name of names) {
    const { n, sum, sumSq, min, max } = sums.get(name)!
    at = values.writeBigInt64BE(BigInt(n), at)
    for (const value of [sum, sumSq, min, max]) at = values.writeDoubleBE(value, at)
  }
  return Buffer.concat([head, values])
}

export function encodeBins(bins: Bins): Buffer {
  if (bins.size === 0) return Buffer.alloc(0)
  const { names, head } = headOf(bins)
  return Buffer.concat([head, ...names.flatMap((name) => lengthAndBytes(encodeHistogram(bins.get(name)!)))])
}

/** Names are sorted, so that buckets with the same measures have the same head. */
function headOf(byName: ReadonlyMap<string, unknown>): { names: string[]; head: Buffer } {
  const names = [...byName.keys()].sort()
  return { names, head: Buffer.concat(lengthAndBytes(Buffer.from(toJson(names)))) }
}

function lengthAndBytes(bytes: Buffer): [length: Buffer, bytes: Buffer] {
  const length = Buffer.allocUnsafe(bytesPerLength)
  length.writeUInt32BE(bytes.length)
  return [length, bytes]
}

type Wanted = readonly string[] | null

/** A decoder of sums for one bucket after another, of the wanted measures only; `null` means all. */
export function sumsDecoder(wanted: Wanted = null): (bytes: Uint8Array) => Sums {
  const headAt = headReader(wanted)
  return (bytes) => {
    const sums: Sums = new Map()
    if (bytes.length === 0) return sums
    const { names, end } = headAt(bytes)
    const view = new DataView(bytes.buffer, bytes.byteOffset + end, bytes.length - end)
    for (const { name, place } of names) sums.set(name, sumAt(view, place * bytesPerSum))
    return sums
  }
}

function sumAt(view: DataView, at: number): Sum {
  return {
    n: view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4),
    sum: view.getFloat64(at + 8),
    sumSq: view.getFloat64(at + 16),
    min: view.getFloat64(at + 24),
    max: view.getFloat64(at + 32),
  }
}

/** A decoder of histograms for one bucket after another, of the wanted measures only; `null` means all. */
export function binsDecoder(wanted: Wanted = null): (bytes: Uint8Array) => Bins {
  const headAt = headReader(wanted)
  return (bytes) => {
    const bins: Bins = new Map()
    if (bytes.length === 0) return bins
    const { names, end } = headAt(bytes)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let [at, passed] = [end, 0]
    for (const { name, place } of names) {
      for (; passed < place; passed++) at += bytesPerLength + view.getUint32(at)
      const start = at + bytesPerLength
      bins.set(name, decodeHistogram(bytes.subarray(start, start + view.getUint32(at))))
    }
    return bins
  }
}

interface Head {
  /** The wanted names, each with its position among all. */
  names: { name: string; place: number }[]
  end: number
}

/** Keeps the last head: most buckets have the same measures as the one before, so names need not be parsed again. */
function headReader(wanted: Wanted): (bytes: Uint8Array) => Head {
  let text: Uint8Array = Buffer.alloc(0)
  let names: Head['names'] = []
  return (bytes) => {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const end = bytesPerLength + whole.readUInt32BE()
    const own = whole.subarray(bytesPerLength, end)
    if (!own.equals(text)) {
      text = own
      names = (JSON.parse(own.toString()) as string[])
        .map((name, place) => ({ name, place }))
        .filter(({ name }) => wanted === null || wanted.includes(name))
    }
    return { names, end }
  }
}
