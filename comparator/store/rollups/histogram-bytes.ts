import type { BinCounts } from '../../statistics/bin-counts.ts'

/**
 * The stored format of a histogram: the byte 1; then, for each bin in ascending order, its distance from the bin before
 * and its count, as varints with seven bits a byte, lowest first. That is mostly two bytes a bin instead of the twelve
 * of the first format, which matters because each bundle reads and writes every histogram that it adds to.
 */
const format = 1
/** Lower than every bin, so that the first distance is positive. */
const origin = -(2 ** 17)
const bytesPerBinMax = 11

export function encodeHistogram({ bins, counts }: BinCounts): Buffer {
  const bytes = Buffer.allocUnsafe(1 + bins.length * bytesPerBinMax)
  bytes[0] = format
  let at = 1
  const put = (number: number) => {
    let rest = number
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = 128 + (rest % 128)
    bytes[at++] = rest
  }
  let before = origin
  for (let i = 0; i < bins.length; i++) {
    put(bins[i]! - before)
    put(counts[i]!)
    before = bins[i]!
  }
  return bytes.subarray(0, at)
}

export function decodeHistogram(bytes: Uint8Array): BinCounts {
  // in the first format, the first byte is the highest of a bin's number: 0, or 255 for a negative one
  if (bytes[0] !== format) return decodeFixed(bytes)
  let at = 1
  const next = () => {
    let number = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++]!
      number += (byte % 128) * unit
      if (!(byte >= 128)) return number
    }
  }
  const room = bytes.length >> 1
  const [bins, counts] = [new Int32Array(room), new Float64Array(room)]
  let length = 0
  for (let bin = origin; at < bytes.length; length++) {
    bin += next()
    bins[length] = bin
    counts[length] = next()
  }
  return { bins: bins.subarray(0, length), counts: counts.subarray(0, length) }
}

/** The first format: for each bin its number in 4 bytes and its count in 8, big-endian. */
function decodeFixed(bytes: Uint8Array): BinCounts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const starts = Array.from({ length: bytes.byteLength / 12 }, (_, i) => 12 * i)
  return {
    bins: Int32Array.from(starts, (at) => view.getInt32(at)),
    counts: Float64Array.from(starts, (at) => view.getUint32(at + 4) * 2 ** 32 + view.getUint32(at + 8)),
  }
}
