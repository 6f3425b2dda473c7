import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDirectory } from '../../runtime/directory-lock.ts'
import { bundleBytesMax } from '../../vocabulary/observation.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { decodeRecords, encodeRecord, type Item } from './spool-record.ts'

const segmentBytesMax = 8 * 1024 * 1024
const segmentName = /^(\d{12})\.spool$/
const damagedName = /^\d{12}\.spool\.damaged$/

interface Segment {
  file: string
  /** Whole records only; what a failed write left behind them does not count. */
  bytes: Bytes
  records: Map<string, number>
  isDamaged: boolean
}

export interface SpoolWatch {
  /** Observations that were on disk and can't be read any more. */
  lost(validation: string, count: number): void
  /** From `offset` on the segment can't be read, and how many observations that were is not known. */
  damaged(file: string, offset: Bytes): void
}

/** The oldest segment, being given out. */
interface Head {
  segment: Segment
  items: Item[]
  given: number
}

/**
 * Observations on disk while the comparator is away, in append-only segment files; oldest out first. A segment is
 * deleted once all of it was delivered, so what was delivered from an unfinished one is sent again after a crash, and
 * the comparator knows it by its id.
 *
 * Writes go to the page cache and a segment is synced when it is closed: the end of the process, even by SIGKILL,
 * loses nothing; the end of the machine may lose the last segment's newest records. A torn record ends its segment,
 * which is then kept as `*.damaged`, for a person to look at, as long as `bytesMax` has room.
 *
 * Every call comes from the outbox, one at a time.
 */
export class Spool {
  readonly #dir: string
  readonly #bytesMax: Bytes
  readonly #watch: SpoolWatch
  #unlock: (() => void) | undefined
  #segments: Segment[] = []
  #tail: { segment: Segment; handle: FileHandle } | undefined
  #head: Head | undefined
  #damaged: { file: string; bytes: Bytes }[] = []
  #damagedCount = 0
  #nextNumber = 1

  constructor(dir: string, bytesMax: Bytes, watch: SpoolWatch) {
    this.#dir = dir
    this.#bytesMax = bytesMax
    this.#watch = watch
  }

  /**
   * Throws `DirectoryLockedError` where another mirror has it, and the system's error where the disk fails: then it may be
   * used all the same, tries the disk again with every write, and leaves what it has not found to the next start.
   */
  async open(): Promise<void> {
    await this.#lock()
    for (const name of (await readdir(this.#dir)).sort()) {
      const file = join(this.#dir, name)
      if (damagedName.test(name)) this.#damaged.push({ file, bytes: (await stat(file)).size })
      const match = segmentName.exec(name)
      if (!match) continue
      this.#nextNumber = Number(match[1]) + 1
      const content = await readFile(file)
      const { items, bytes } = decodeRecords(content)
      const segment = { file, bytes, records: countByValidation(items), isDamaged: false }
      if (bytes < content.length) this.#foundDamaged(segment, bytes)
      if (items.length === 0) await this.#discard(segment)
      else this.#segments.push(segment)
    }
    await this.#makeRoom(0)
  }

  /** Segments found damaged since this process began. */
  get damagedCount(): number {
    return this.#damagedCount
  }

  /** Whole records, and damaged segments. */
  get bytes(): Bytes {
    return [...this.#segments, ...this.#damaged].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0
  }

  /** Records on disk by validation. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { records } of this.#segments) {
      for (const [validation, count] of records) counts.set(validation, (counts.get(validation) ?? 0) + count)
    }
    return counts
  }

  /** How many of `items`, from the first, are on disk now; `error` tells why not the rest, none where it is full. */
  async append(items: readonly Item[]): Promise<{ kept: number; error?: unknown }> {
    const batch: Buffer[] = []
    let bytes = 0
    let free = await this.#makeRoom(0)
    for (const item of items) {
      const record = encodeRecord(item)
      if (bytes + record.length > free) free = await this.#makeRoom(bytes + record.length)
      if (bytes + record.length > free) break
      bytes += record.length
      batch.push(record)
    }
    if (batch.length === 0) return { kept: 0 }
    try {
      await this.#haveDirectory()
      await this.#write(batch, items.slice(0, batch.length), bytes)
    } catch (error) {
      await this.#abandonTail()
      return { kept: 0, error }
    }
    return { kept: batch.length }
  }

  /** The oldest observations, a bundle of them, or undefined where there are none; the same ones until `acknowledge`. */
  async oldest(): Promise<Item[] | undefined> {
    for (;;) {
      if (!this.#head && !(await this.#loadHead())) return undefined
      const { items, given } = this.#head!
      if (given < items.length) return bundleOf(items, given)
      await this.#dropHead()
    }
  }

  /** The first `count` of what `oldest` returned have come to their end. */
  async acknowledge(count: number): Promise<void> {
    const head = this.#head!
    head.given += count
    if (head.given >= head.items.length) await this.#dropHead()
  }

  async close(): Promise<void> {
    await this.#closeTail()
    this.#releaseLock()
  }

  #releaseLock(): void {
    this.#unlock?.()
    this.#unlock = undefined
  }

  async #lock(): Promise<void> {
    const created = await mkdir(this.#dir, { recursive: true })
    if (created !== undefined) this.#releaseLock() // someone deleted it, and the lock with it
    this.#unlock ??= lockDirectory(this.#dir)
  }

  /** What goes to a file that someone deleted goes nowhere. */
  async #haveDirectory(): Promise<void> {
    if (this.#tail && (await this.#tail.handle.stat()).nlink === 0) await this.#closeTail()
    if (!this.#tail) await this.#lock()
  }

  /** The free bytes, once the oldest damaged segments have made way for `bytes` as far as they can. */
  async #makeRoom(bytes: Bytes): Promise<Bytes> {
    while (this.#bytesMax - this.bytes < bytes && this.#damaged.length > 0) {
      const { file } = this.#damaged.shift()!
      await rm(file, { force: true }).catch(() => {})
    }
    return this.#bytesMax - this.bytes
  }

  #foundDamaged(segment: Segment, offset: Bytes): void {
    if (segment.isDamaged) return
    segment.isDamaged = true
    this.#damagedCount++
    this.#watch.damaged(segment.file, offset)
  }

  async #discard({ file, isDamaged }: Segment): Promise<void> {
    if (!isDamaged) return rm(file, { force: true }).catch(() => {})
    try {
      const kept = `${file}.damaged`
      await rename(file, kept)
      this.#damaged.push({ file: kept, bytes: (await stat(kept)).size })
    } catch {
      await rm(file, { force: true }).catch(() => {})
    }
    await this.#makeRoom(0)
  }

  async #loadHead(): Promise<boolean> {
    const segment = this.#segments[0]
    if (!segment) return false
    // what is given out must not grow under the reader's hands
    if (this.#tail?.segment === segment) await this.#closeTail()
    const content = await readFile(segment.file).catch(() => Buffer.alloc(0))
    const { items, bytes } = decodeRecords(content.subarray(0, segment.bytes))
    if (content.length > 0 && bytes < segment.bytes) this.#foundDamaged(segment, bytes)
    this.#head = { segment, items, given: 0 }
    return true
  }

  async #dropHead(): Promise<void> {
    const { segment, items } = this.#head!
    this.#segments.shift()
    this.#head = undefined
    await this.#discard(segment)
    const read = countByValidation(items)
    for (const [validation, count] of segment.records) {
      const lost = count - (read.get(validation) ?? 0)
      if (lost > 0) this.#watch.lost(validation, lost)
    }
  }

  async #write(batch: readonly Buffer[], items: readonly Item[], bytes: Bytes): Promise<void> {
    if (this.#tail && this.#tail.segment.bytes + bytes > segmentBytesMax) await this.#closeTail()
    if (!this.#tail) {
      const number = this.#nextNumber++
      const file = join(this.#dir, `${String(number).padStart(12, '0')}.spool`)
      const handle = await open(file, 'ax')
      this.#tail = { handle, segment: { file, bytes: 0, records: new Map(), isDamaged: false } }
    }
    const { handle, segment } = this.#tail
    await handle.appendFile(batch.length === 1 ? batch[0]! : Buffer.concat(batch))
    if (segment.bytes === 0) this.#segments.push(segment)
    segment.bytes += bytes
    for (const { entry } of items)
      segment.records.set(entry.validation, (segment.records.get(entry.validation) ?? 0) + 1)
  }

  /** After a failed write: cut off what it left, as far as the disk lets us; the next write begins a new segment. */
  async #abandonTail(): Promise<void> {
    const tail = this.#tail
    this.#tail = undefined
    if (!tail) return
    await tail.handle.close().catch(() => {})
    if (tail.segment.bytes === 0) await rm(tail.segment.file, { force: true }).catch(() => {})
    else await truncate(tail.segment.file, tail.segment.bytes).catch(() => {})
  }

  async #closeTail(): Promise<void> {
    const tail = this.#tail
    this.#tail = undefined
    if (!tail) return
    await tail.handle.sync().catch(() => {})
    await tail.handle.close().catch(() => {})
    if (tail.segment.bytes === 0) await rm(tail.segment.file, { force: true }).catch(() => {})
  }
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

function countByValidation(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { entry } of items) counts.set(entry.validation, (counts.get(entry.validation) ?? 0) + 1)
  return counts
}
