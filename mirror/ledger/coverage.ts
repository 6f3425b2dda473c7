import { type CoverageReport, countsIn, type SkipReason } from '../../vocabulary/coverage.ts'
import type { Entry } from './entry.ts'

const reportsMax = 20_000
/** About one for each validation, size class and minute in which a current exchange began; older ones are left out. */
const toldMax = 100

export interface Tally {
  readonly report: CoverageReport
  /** Changed since it was last taken to be sent. */
  dirty: boolean
  /** Whether its current state is on disk; set by the writer. */
  isKept: boolean
}

/**
 * Running totals per validation, minute and size class. A report replaces the previous one of the same key, so at most
 * `reportsMax` are kept and the oldest are dropped for new ones. If counts arrive for a dropped minute, they are
 * reported under a new reporter name: under the old one they would replace the totals that the comparator has.
 */
export class Coverage {
  readonly #reporter: string
  readonly #reportsMax: number
  readonly #tallies = new Map<string, Tally>()
  /** Changed or being sent since they were last acknowledged. */
  readonly #unsettled = new Set<Tally>()
  #generation = 0
  #lost = 0

  /** `reporter` must be unique to this run of the process. */
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

  /** Takes up to `max` changed reports; those not acknowledged are taken again. */
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

  /** All tallies that the comparator may not have, also those being sent. */
  unsent(): Tally[] {
    return [...this.#unsettled]
  }

  /** The newest reports that the comparator may not have, for a successor to send if this process is killed. */
  unsettled(max = toldMax): CoverageReport[] {
    const newest = this.#unsettled.values().drop(Math.max(0, this.#unsettled.size - max))
    return Array.from(newest, ({ report }) => report)
  }

  /**
   * Adds reports of processes that have ended, in any order; of two with the same key, the one with higher counts is
   * the later.
   */
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

  /** Reports that were dropped before they had arrived. */
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
    if (this.#unsettled.delete(tally)) this.#lost++
    this.#generation++
  }
}
