import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { announceRelease, holdsDirectory, lockDirectory } from '../../runtime/directory-lock.ts'
import { makeDirectory } from '../../runtime/make-directory.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { ScratchReader } from './scratch-reader.ts'
import { bundleOf, encodeRecord, type Item } from './spool-record.ts'
import { type Content, parseSegmentName, readSegment, type Segment, sumOf, surveySegment } from './spool-segment.ts'
import { ownerOnly, SpoolTail } from './spool-tail.ts'

/** As large as a bundle of small observations: a disk with only a few bytes left counts as full. */
const probeBytes: Bytes = 64 * 1024
/**
 * The most returned at once. The comparator pays per bundle: two observations of 106 KB in a bundle cost it and its
 * database 6 ms of CPU each, nine cost 2.8 ms each; many small ones would hold up its event loop. If a bundle does not
 * get through, the outbox sends it in smaller pieces.
 */
const givenMax = { bytes: 1024 * 1024, count: 256 }

export interface SpoolWatch {
  /** Observations that an earlier process left on disk. */
  found(validation: string, count: number): void
  /** Observations that were on disk and can no longer be read. */
  lost(validation: string, count: number): void
  /** The segment can't be read from `offset` on; how many observations that affects is unknown. */
  damaged(file: string, offset: Bytes): void
}

interface OnDisk {
  file: string
  bytes: Bytes
}

/** The oldest segment, which is being delivered. */
interface Head {
  segment: Segment
  content: Content
  given: number
}

/**
 * Keeps observations on disk while the comparator is away, in append-only segment files, and returns the oldest first.
 * A segment is deleted once all of it is delivered. After a crash an unfinished segment is therefore sent again, and
 * the comparator recognises duplicates by id.
 *
 * Writes go to the page cache, and a segment is synced when it is closed. The end of the process, even by SIGKILL,
 * loses nothing; the end of the machine may lose the last segment's newest records. A torn record ends its segment,
 * which is then kept as `*.damaged` for inspection as long as `bytesMax` has room.
 *
 * If a file is gone, its observations are lost. A file that can't be read for another reason (such as no free file
 * descriptor) stays and is retried; later ones are read first.
 *
 * What an earlier process left is listed at once, so that its bytes count, but read one segment per call: gigabytes of
 * it must delay neither the start nor new observations.
 *
 * All calls come one at a time.
 */
export class Spool {
  readonly #dir: string
  readonly #bytesMax: Bytes
  readonly #watch: SpoolWatch
  readonly #gather: () => Promise<void>
  #unlock: (() => Promise<void>) | undefined
  #segments: Segment[] = []
  readonly #tail: SpoolTail
  #head: Head | undefined
  #damaged: OnDisk[] = []
  #damagedCount = 0
  #isListed = false
  /** Segments not tried yet, oldest first. */
  #unread: OnDisk[] = []
  /** Segments that could not be read when tried. */
  #unreadable: OnDisk[] = []
  #reader = new ScratchReader()

  /** `gather` moves whatever else belongs here into the directory once it is ours; `open` rethrows its errors. */
  constructor(dir: string, bytesMax: Bytes, watch: SpoolWatch, gather = async () => {}) {
    this.#dir = dir
    this.#bytesMax = bytesMax
    this.#watch = watch
    this.#gather = gather
    this.#tail = new SpoolTail(dir)
  }

  /**
   * Locks the directory and lists its contents for `readNext`. Throws `DirectoryLockedError` if another mirror has it,
   * and the system's error if the disk fails. After the system's error, call it again until `isSound`; once the
   * contents are listed, each call retries one unreadable segment. The spool may be used meanwhile.
   */
  async open(): Promise<void> {
    if (this.#isListed) await this.#readFirst(this.#unreadable)
    else await this.#list()
  }

  /** Reads the oldest unread segment. If it can't be read now, throws the system's error and leaves it for later. */
  readNext(): Promise<void> {
    return this.#readFirst(this.#unread)
  }

  /** Whether segments on disk are still to be read. */
  get hasUnread(): boolean {
    return this.#unread.length > 0
  }

  /** Whether the directory is ours and complete. */
  get isReady(): boolean {
    return this.#isListed
  }

  /** Tells the next process that the lock will be released soon. */
  announceRelease(): Promise<void> {
    return announceRelease(this.#dir)
  }

  /** Whether everything on disk could be listed, and read as far as it was tried. */
  get isSound(): boolean {
    return this.#isListed && this.#unreadable.length === 0
  }

  /** Segments found damaged since this process started. */
  get damagedCount(): number {
    return this.#damagedCount
  }

  /** Bytes of complete records, damaged segments and unread segments. */
  get bytes(): Bytes {
    const all = [this.#segments, this.#damaged, this.#unread, this.#unreadable]
    return all.flat().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Whether there is nothing to return, apart from what can't be read. */
  get isEmpty(): boolean {
    return this.#segments.length === 0 && !this.hasUnread
  }

  /** Records on disk by validation, as far as they were read. */
  counts(): Map<string, number> {
    return sumOf(this.#segments)
  }

  /**
   * Writes `items` in order and returns how many are now on disk; `error` says why the rest are not, and is absent if
   * the spool is full.
   */
  async append(items: readonly Item[]): Promise<{ kept: number; error?: unknown }> {
    try {
      await this.#list()
    } catch (error) {
      return { kept: 0, error }
    }
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
      await this.#ensureDirectory()
      const segment = await this.#tail.append(items.slice(0, batch.length), batch)
      if (this.#segments.at(-1) !== segment) this.#segments.push(segment)
    } catch (error) {
      await this.#tail.abandon()
      return { kept: 0, error }
    }
    return { kept: batch.length }
  }

  /** Rejects with the system's error if the disk can't be written now. */
  async probe(): Promise<void> {
    await this.#list()
    await this.#ensureDirectory()
    const file = join(this.#dir, 'probe')
    const written = writeFile(file, Buffer.alloc(probeBytes), { mode: ownerOnly.file, flush: true })
    await written.finally(() => rm(file, { force: true }))
  }

  /**
   * The oldest observations that were read, as a bundle; undefined if there are none. Returns the same ones until
   * `acknowledge`. Throws the system's error if there are some but none can be read.
   */
  async oldest(): Promise<Item[] | undefined> {
    for (;;) {
      if (!this.#head && !(await this.#loadHead())) return undefined
      const { content, given } = this.#head!
      if (given < content.items.length) return bundleOf(content.items, given, givenMax)
      await this.#dropHead()
    }
  }

  /** The first `count` of what `oldest` returned have ended. */
  async acknowledge(count: number): Promise<void> {
    const head = this.#head!
    head.given += count
    if (head.given >= head.content.items.length) await this.#dropHead()
  }

  async close(): Promise<void> {
    await this.#tail.close()
    await this.#releaseLock()
  }

  async #releaseLock(): Promise<void> {
    try {
      await this.#unlock?.()
    } finally {
      this.#unlock = undefined
    }
  }

  /** Lists what an earlier process left; under the lock, so that it belongs to no other mirror. */
  async #list(): Promise<void> {
    if (this.#isListed) return
    await this.#lock()
    await this.#gather()
    const names = (await readdir(this.#dir)).sort()
    this.#damaged = await this.#sizesOf(names.filter((name) => parseSegmentName(name)?.isDamaged))
    this.#unread = await this.#sizesOf(names.filter((name) => parseSegmentName(name)?.isDamaged === false))
    // damaged ones count too: a new segment of the same number would overwrite one
    const last = names.findLast((name) => parseSegmentName(name))
    if (last) this.#tail.beginBehind(parseSegmentName(last)!.number)
    this.#isListed = true
    await this.#makeRoom(0)
  }

  #sizesOf(names: readonly string[]): Promise<OnDisk[]> {
    // one after another: of a disk that hangs, each call holds a thread
    return Array.fromAsync(names, async (name) => {
      const file = join(this.#dir, name)
      return { file, bytes: (await stat(file)).size }
    })
  }

  async #readFirst(left: OnDisk[]): Promise<void> {
    const first = left[0]
    if (!first) return
    let found: Awaited<ReturnType<typeof surveySegment>>
    try {
      found = await surveySegment(first.file, this.#reader)
    } catch (error) {
      this.#unreadable.push(first)
      throw error
    } finally {
      left.shift()
      if (!this.hasUnread) this.#reader = new ScratchReader()
    }
    await this.#takeOver(found.segment, found.isTorn)
  }

  async #takeOver(segment: Segment, isTorn: boolean): Promise<void> {
    if (isTorn) this.#foundDamaged(segment, segment.bytes)
    if (segment.records.size === 0) return this.#discard(segment)
    const older = this.#segments.filter(({ file }) => file < segment.file)
    this.#segments.splice(older.length, 0, segment)
    for (const [validation, count] of segment.records) this.#watch.found(validation, count)
  }

  async #lock(): Promise<void> {
    await makeDirectory(this.#dir, ownerOnly.directory)
    if (this.#unlock && !(await holdsDirectory(this.#dir))) await this.#releaseLock()
    this.#unlock ??= await lockDirectory(this.#dir)
  }

  /** Makes sure that the directory is still ours and the open segment exists: writes to a deleted file are lost. */
  async #ensureDirectory(): Promise<void> {
    if (await this.#tail.isGone()) await this.#tail.close()
    if (!this.#tail.isBegun) await this.#lock()
  }

  /** Deletes the oldest damaged segments as far as needed to fit `bytes`; returns the free bytes. */
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
    let failure: unknown
    for (const segment of this.#segments) {
      // a segment that is being read must not grow
      if (this.#tail.is(segment)) await this.#tail.close()
      try {
        const content = await readSegment(segment.file, segment.bytes)
        if (content.length > 0 && content.bytes < segment.bytes) this.#foundDamaged(segment, content.bytes)
        this.#head = { segment, content, given: 0 }
        return true
      } catch (error) {
        failure = error
      }
    }
    if (failure !== undefined) throw failure
    return false
  }

  async #dropHead(): Promise<void> {
    const { segment, content } = this.#head!
    this.#segments = this.#segments.filter((one) => one !== segment)
    this.#head = undefined
    await this.#discard(segment)
    for (const [validation, count] of segment.records) {
      const lost = count - (content.records.get(validation) ?? 0)
      if (lost > 0) this.#watch.lost(validation, lost)
    }
  }
}
