import type { BinCounts } from '../statistics/bin-counts.ts'

/**
 * How a histogram is kept: the byte 1; then, for each bin, ascending, how far it lies above the one before and its
 * count, as varints of seven bits a byte, the lowest first. Two bytes a bin and not twelve, as they were kept at first:
 * each bundle reads and writes every histogram that it adds to.
 */
const format = 1
/** Below every bin. */
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
  // the first byte of a bin's number in four is 0, or 255 of a negative one
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

/** As they were kept at first: a bin's number in 4 bytes and its count in 8, big-endian. */
function decodeFixed(bytes: Uint8Array): BinCounts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const starts = Array.from({ length: bytes.byteLength / 12 }, (_, i) => 12 * i)
  return {
    bins: Int32Array.from(starts, (at) => view.getInt32(at)),
    counts: Float64Array.from(starts, (at) => view.getUint32(at + 4) * 2 ** 32 + view.getUint32(at + 8)),
  }
}
