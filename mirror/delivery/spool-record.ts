import { crc32 } from 'node:zlib'
import { bundleBytesMax } from '../../vocabulary/observation.ts'
import type { Entry } from '../ledger/entry.ts'

/** An observation as it goes over the wire, and its entry in the ledger. */
export interface Item {
  observation: Buffer
  entry: Entry
}

const headBytes = 8
const lengthBytesMax = 256 * 1024 * 1024

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

/** The whole records from the beginning of a segment. `bytes` is where they end: short of the end, it is torn there. */
export function decodeRecords(segment: Buffer): { items: Item[]; bytes: number } {
  const items: Item[] = []
  let at = 0
  while (at + headBytes <= segment.length) {
    const end = at + headBytes + segment.readUInt32LE(at)
    if (end > segment.length || end - at > lengthBytesMax || end - at < headBytes + 2) break
    const payload = segment.subarray(at + headBytes, end)
    if (crc32(payload) !== segment.readUInt32LE(at + 4)) break
    const metaEnd = 2 + payload.readUInt16LE(0)
    items.push({
      entry: JSON.parse(payload.toString('utf8', 2, metaEnd)) as Entry,
      observation: payload.subarray(metaEnd),
    })
    at = end
  }
  return { items, bytes: at }
}

/** As many as fit in one delivery, at least one. */
export function bundleOf(items: readonly Item[], from = 0): Item[] {
  let bytes = 0
  let end = from
  while (end < items.length) {
    bytes += items[end]!.observation.length
    if (end > from && bytes > bundleBytesMax) break
    end++
  }
  return items.slice(from, end)
}

export function countByValidation(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { entry } of items) counts.set(entry.validation, (counts.get(entry.validation) ?? 0) + 1)
  return counts
}
