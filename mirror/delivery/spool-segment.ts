import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises'
import type { Bytes } from '../../vocabulary/units.ts'
import type { ScratchReader } from './scratch-reader.ts'
import { addRecord, decodeRecords, type Item } from './spool-record.ts'

/** Between two steps of what nobody waits for: so it has a fifth of the loop's time at most. */
const restMs = 1

const nameForm = /^(\d{12})\.spool(\.damaged)?$/

/** Sorted by these, segments are in the order in which they were begun. */
export const nameOfSegment = (number: number, isDamaged = false): string =>
  `${String(number).padStart(12, '0')}.spool${isDamaged ? '.damaged' : ''}`

/** Undefined where it is no segment's. */
export function parseSegmentName(name: string): { number: number; isDamaged: boolean } | undefined {
  const [, number, damaged] = nameForm.exec(name) ?? []
  return number === undefined ? undefined : { number: Number(number), isDamaged: damaged !== undefined }
}

export interface Segment {
  file: string
  /** Whole records only; what a failed write left behind them does not count. */
  bytes: Bytes
  /** By validation. */
  records: Map<string, number>
  isDamaged: boolean
}

export interface Content {
  items: Item[]
  /** By validation. */
  records: Map<string, number>
  /** Of whole records. */
  bytes: Bytes
  /** Of what was read, 0 where the file is gone. */
  length: Bytes
}

/**
 * As an earlier process has left it, empty where it is gone; `isTorn`: there is more behind its last whole record. Takes
 * its time. Throws the system's error where it is there and can't be read: that may pass.
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

/** The whole records in its first `bytesMax`. Throws as `surveySegment`. */
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

/** Live requests come between. */
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

/** Records by validation. */
export function sumOf(segments: readonly Segment[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const { records } of segments) {
    for (const [validation, count] of records) sum.set(validation, (sum.get(validation) ?? 0) + count)
  }
  return sum
}
