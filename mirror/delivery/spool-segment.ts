import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bytes } from '../../vocabulary/units.ts'
import { type Decoded, decodeRecords } from './spool-record.ts'

export interface Segment {
  file: string
  /** Whole records only; what a failed write left behind them does not count. */
  bytes: Bytes
  records: Map<string, number>
  isDamaged: boolean
}

/** As an earlier process has left it; `isTorn`: there is more behind its last whole record. Throws as `readRecords`. */
export async function readSegment(file: string): Promise<{ segment: Segment; isTorn: boolean }> {
  const { records, bytes, length } = await readRecords(file)
  return { segment: { file, bytes, records, isDamaged: false }, isTorn: bytes < length }
}

/**
 * The whole records in a file's first `bytesMax`; `length`: of these, 0 where it is gone. Throws the system's error where it
 * is there and can't be read: that may pass.
 */
export async function readRecords(file: string, bytesMax?: Bytes): Promise<Decoded & { length: Bytes }> {
  const content = (await readUnlessGone(file)).subarray(0, bytesMax)
  const steps = decodeRecords(content)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return { ...value, length: content.length }
    await nextTurn()
  }
}

async function readUnlessGone(file: string): Promise<Buffer> {
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
