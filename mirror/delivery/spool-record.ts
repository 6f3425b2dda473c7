import { crc32 } from 'node:zlib'
import { bundleBytesMax } from '../../vocabulary/observation.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import type { Entry } from '../ledger/entry.ts'

/** An observation as sent over the wire, and its entry in the ledger. */
export interface Item {
  observation: Buffer
  entry: Entry
}

const headBytes = 8
const lengthBytesMax = 256 * 1024 * 1024
/** Decoded in one turn of the event loop, in a tenth of a millisecond. */
const stepBytes: Bytes = 64 * 1024

/** `u32 length, u32 crc32 | u16 length of the entry, entry as JSON, observation`; the checksum covers what follows it. */
export function encodeRecord({ observation, entry }: Item): Buffer {
  const meta = Buffer.from(JSON.stringify(entry))
  const record = Buffer.allocUnsafe(headBytes + 2 + meta.length + observation.length)
  record.writeUInt32LE(record.length - headBytes, 0)
  record.writeUInt16LE(meta.length, headBytes)
  meta.copy(record, headBytes + 2)
  observation.copy(record, headBytes + 2 + meta.length)
  record.writeUInt32LE(crc32(record.subarray(headBytes)), 4)
  return record
}

/**
 * Calls `take` for each complete record from the beginning of a segment, with the position of its observation. Returns
 * where the last one ends; if that is before the segment's end, the segment is torn there. Yields between steps so that
 * live requests can be served.
 */
export function* decodeRecords(
  segment: Buffer,
  take: (entry: Entry, from: Bytes, to: Bytes) => void,
): Generator<undefined, Bytes> {
  let at = 0
  let left = stepBytes
  while (at + headBytes <= segment.length) {
    const end = at + headBytes + segment.readUInt32LE(at)
    if (end > segment.length || end - at > lengthBytesMax || end - at < headBytes + 2) break
    let sum = 0
    for (let from = at + headBytes; from < end; ) {
      const part = segment.subarray(from, Math.min(end, from + left))
      sum = crc32(part, sum)
      from += part.length
      left -= part.length
      if (left > 0) continue
      yield
      left = stepBytes
    }
    if (sum !== segment.readUInt32LE(at + 4)) break
    const metaAt = at + headBytes + 2
    const metaEnd = metaAt + segment.readUInt16LE(metaAt - 2)
    take(JSON.parse(segment.toString('utf8', metaAt, metaEnd)) as Entry, metaEnd, end)
    at = end
  }
  return at
}

export function addRecord(records: Map<string, number>, { validation }: Entry): void {
  records.set(validation, (records.get(validation) ?? 0) + 1)
}

interface BundleMax {
  bytes: Bytes
  count: number
}

const freshMax: BundleMax = { bytes: bundleBytesMax, count: Number.POSITIVE_INFINITY }

/** The items from `from` on that form one bundle, at least one: as many as a fresh delivery takes, or up to `max`. */
export function bundleOf(items: readonly Item[], from = 0, max: BundleMax = freshMax): Item[] {
  let bytes = 0
  let end = from
  while (end < items.length && end - from < max.count) {
    bytes += items[end]!.observation.length
    if (end > from && bytes > max.bytes) break
    end++
  }
  return items.slice(from, end)
}
