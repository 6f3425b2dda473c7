import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises'
import type { Bytes } from '../../vocabulary/units.ts'
import type { ScratchReader } from './scratch-reader.ts'
import { addRecord, decodeRecords, type Item } from './spool-record.ts'

/** The pause between two steps of work that nobody waits for: it takes at most a fifth of the event loop's time. */
const restMs = 1

const nameForm = /^(\d{12})\.spool(\.damaged)?$/

/** Names sort in the order in which segments were begun. */
export const nameOfSegment = (number: number, isDamaged = false): string =>
  `${String(number).padStart(12, '0')}.spool${isDamaged ? '.damaged' : ''}`

/** Undefined if it is not a segment's name. */
export function parseSegmentName(name: string): { number: number; isDamaged: boolean } | undefined {
  const [, number, damaged] = nameForm.exec(name) ?? []
  return number === undefined ? undefined : { number: Number(number), isDamaged: damaged !== undefined }
}

export interface Segment {
  file: string
  /** Complete records only; what a failed write left after them does not count. */
  bytes: Bytes
  /** By validation. */
  records: Map<string, number>
  isDamaged: boolean
}

export interface Content {
  items: Item[]
  /** By validation. */
  records: Map<string, number>
  /** Bytes of complete records. */
  bytes: Bytes
  /** Bytes read; 0 if the file is gone. */
  length: Bytes
}

/**
 * Examines a segment that an earlier process left, slowly; empty if the file is gone. `isTorn`: there is more after its
 * last complete record. Throws the system's error if the file exists but can't be read, which may pass.
 */
export async function surveySegment(
  file: string,
  reader: ScratchReader,
): Promise<{ segment: Segment; isTorn: boolean }> {
  const content = await unlessGone(reader.read(file))
  const records = new Map<string, number>()
  const steps = decodeRecords(content, (entry) => addRecord(records, entry))
  const bytes = await inSteps(steps, () => rest(restMs))
  return { segment: { file, bytes, records, isDamaged: false }, isTorn: bytes < content.length }
}

/** Reads the complete records in its first `bytesMax`. Throws as `surveySegment` does. */
export async function readSegment(file: string, bytesMax: Bytes): Promise<Content> {
  const content = (await unlessGone(readFile(file))).subarray(0, bytesMax)
  const items: Item[] = []
  const records = new Map<string, number>()
  const steps = decodeRecords(content, (entry, from, to) => {
    items.push({ entry, observation: content.subarray(from, to) })
    addRecord(records, entry)
  })
  const bytes = await inSteps(steps, nextTurn)
  return { items, records, bytes, length: content.length }
}

/** Runs the steps with `between` in between, when live requests are served. */
async function inSteps<Result>(steps: Generator<undefined, Result>, between: () => Promise<unknown>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await between()
  }
}

async function unlessGone(read: Promise<Buffer>): Promise<Buffer> {
  try {
    return await read
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** Sums the records by validation. */
export function sumOf(segments: readonly Segment[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const { records } of segments) {
    for (const [validation, count] of records) sum.set(validation, (sum.get(validation) ?? 0) + count)
  }
  return sum
}
