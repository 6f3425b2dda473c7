import { readFile } from 'node:fs/promises'
import type { Bytes } from '../../vocabulary/units.ts'
import { countByValidation, decodeRecords } from './spool-record.ts'

export interface Segment {
  file: string
  /** Whole records only; what a failed write left behind them does not count. */
  bytes: Bytes
  records: Map<string, number>
  isDamaged: boolean
}

/** As an earlier process has left it; `isTorn`: there is more behind its last whole record. Throws as `readUnlessGone`. */
export async function readSegment(file: string): Promise<{ segment: Segment; isTorn: boolean }> {
  const content = await readUnlessGone(file)
  const { items, bytes } = decodeRecords(content)
  const segment = { file, bytes, records: countByValidation(items), isDamaged: false }
  return { segment, isTorn: bytes < content.length }
}

/** Empty where it is gone. Throws the system's error where it is there and can't be read: that may pass. */
export async function readUnlessGone(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** Records by validation. */
export function sumOf(segments: readonly Segment[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const { records } of segments) {
    for (const [validation, count] of records) sum.set(validation, (sum.get(validation) ?? 0) + count)
  }
  return sum
}
