import { type CoverageReport, countsIn, type SkipReason } from '../../vocabulary/coverage.ts'
import type { Entry } from './entry.ts'

const reportsMax = 20_000
/** Validations in their size classes and the minutes that exchanges of now began in. */
const toldMax = 100

export interface Tally {
  readonly report: CoverageReport
  /** Changed since it was last taken for sending. */
  dirty: boolean
  /** Whether it is on disk as it is; for whoever puts it there. */
  isKept: boolean
}

/**
 * Totals so far per validation, minute and size class. A report replaces the one before it, so at most `reportsMax`
 * are kept and the oldest make room; what comes for a forgotten minute is reported under a new reporter's name,
 * for under the old one it would replace what the comparator has.
 */
export class Coverage {
  readonly #reporter: string
  readonly #reportsMax: number
  readonly #tallies = new Map<string, Tally>()
  /** Changed, or on their way, since they were last acknowledged. */
  readonly #unsettled = new Set<Tally>()
  #generation = 0
  #lost = 0

  /** `reporter` is unique to the process's life. */
  constructor(reporter: string, max = reportsMax) {
    this.#reporter = reporter
    this.#reportsMax = max
  }

  see(entry: Entry): void {
    this.#tally(entry).report.seen++
  }

  skip(entry: Entry, reason: SkipReason): void {
    const { skipped } = this.#tally(entry).report
    skipped[reason] = (skipped[reason] ?? 0) + 1
  }

  /** Up to `max` changed reports; what is not acknowledged comes again. */
  take(max: number): { reports: CoverageReport[]; acknowledge(delivered: boolean): void } {
    const taken: Tally[] = []
    for (const tally of this.#unsettled) {
      if (taken.length === max) break
      if (tally.dirty) taken.push(tally)
    }
    for (const tally of taken) tally.dirty = false
    return {
      reports: taken.map(({ report }) => ({ ...report, skipped: { ...report.skipped } })),
      acknowledge: (delivered) => {
        for (const tally of taken) {
          if (!delivered) tally.dirty = true
          else if (!tally.dirty) this.#unsettled.delete(tally)
        }
      },
    }
  }

  /** What `take` would give or give again. */
  unsent(): Tally[] {
    return [...this.#unsettled].filter(({ dirty }) => dirty)
  }

  /** The newest that the comparator may not have, for a successor to send should this process be killed. */
  unsettled(max = toldMax): CoverageReport[] {
    const newest = this.#unsettled.values().drop(Math.max(0, this.#unsettled.size - max))
    return Array.from(newest, ({ report }) => report)
  }

  /** Reports of processes that have ended, in any order: of two the one with more in it is the later. */
  restore(reports: Iterable<CoverageReport>, isKept: boolean): void {
    for (const report of reports) {
      const { reporter, minute, sizeClass, validation } = report
      const key = `${reporter} ${minute} ${sizeClass} ${validation}`
      const known = this.#tallies.get(key)
      if (known && countsIn(known.report) > countsIn(report)) continue
      if (!known && this.#tallies.size >= this.#reportsMax) this.#forgetOldest()
      if (known) this.#unsettled.delete(known)
      const tally = { report, dirty: true, isKept }
      this.#tallies.set(key, tally)
      this.#unsettled.add(tally)
    }
  }

  /** Reports that made room before they were sent. */
  get lost(): number {
    return this.#lost
  }

  #tally(entry: Entry): Tally {
    const key = `${entry.minute} ${entry.sizeClass} ${entry.validation}`
    let tally = this.#tallies.get(key)
    if (!tally) {
      if (this.#tallies.size >= this.#reportsMax) this.#forgetOldest()
      tally = {
        dirty: true,
        isKept: false,
        report: {
          reporter: this.#generation === 0 ? this.#reporter : `${this.#reporter}.${this.#generation}`,
          validation: entry.validation,
          minute: new Date(entry.minute).toISOString(),
          sizeClass: entry.sizeClass,
          seen: 0,
          skipped: {},
        },
      }
      this.#tallies.set(key, tally)
    }
    tally.dirty = true
    tally.isKept = false
    this.#unsettled.add(tally)
    return tally
  }

  #forgetOldest(): void {
    const [key, tally] = this.#tallies.entries().next().value!
    this.#tallies.delete(key)
    this.#unsettled.delete(tally)
    if (tally.dirty) this.#lost++
    this.#generation++
  }
}
