import { type FileHandle, open, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bytes } from '../../vocabulary/units.ts'
import { addRecord, type Item } from './spool-record.ts'
import { nameOfSegment, type Segment } from './spool-segment.ts'

const segmentBytesMax: Bytes = 8 * 1024 * 1024

/** Bodies are stored there as they came, before any redaction. */
export const ownerOnly = { directory: 0o700, file: 0o600 }

/** The spool's newest segment, which is being written; created with its first records. */
export class SpoolTail {
  readonly #dir: string
  #next = 1
  #open: { segment: Segment; handle: FileHandle } | undefined

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Numbers new segments after this one. */
  beginBehind(number: number): void {
    this.#next = number + 1
  }

  get isBegun(): boolean {
    return this.#open !== undefined
  }

  is(segment: Segment): boolean {
    return this.#open?.segment === segment
  }

  /** Whether someone has deleted the file: what is written to it is lost. */
  async isGone(): Promise<boolean> {
    return this.#open !== undefined && (await this.#open.handle.stat()).nlink === 0
  }

  /**
   * Appends `records`, which encode `items`, and returns the segment that they are now in. Rejects with the system's
   * error; then call `abandon`.
   */
  async append(items: readonly Item[], records: readonly Buffer[]): Promise<Segment> {
    const bytes = records.reduce((sum, { length }) => sum + length, 0)
    if (this.#open && this.#open.segment.bytes + bytes > segmentBytesMax) await this.close()
    this.#open ??= await this.#begin()
    const { handle, segment } = this.#open
    await handle.appendFile(records.length === 1 ? records[0]! : Buffer.concat(records))
    segment.bytes += bytes
    for (const { entry } of items) addRecord(segment.records, entry)
    return segment
  }

  /** After a failed write: cuts off what it left, as far as the disk allows; the next write begins a new segment. */
  async abandon(): Promise<void> {
    const tail = this.#open
    this.#open = undefined
    if (!tail) return
    await tail.handle.close().catch(() => {})
    const { file, bytes } = tail.segment
    if (bytes === 0) await rm(file, { force: true }).catch(() => {})
    else await truncate(file, bytes).catch(() => {})
  }

  /** Ends this segment; the next write begins another. */
  async close(): Promise<void> {
    const tail = this.#open
    this.#open = undefined
    if (!tail) return
    await tail.handle.sync().catch(() => {})
    await tail.handle.close().catch(() => {})
  }

  async #begin() {
    const file = join(this.#dir, nameOfSegment(this.#next++))
    const handle = await open(file, 'ax', ownerOnly.file)
    return { handle, segment: { file, bytes: 0, records: new Map(), isDamaged: false } }
  }
}
