import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { MirroredValidation } from '../../vocabulary/coverage.ts'
import type { MirrorReport } from '../../vocabulary/mirrors.ts'
import { heartbeatMs, mirrorReportMs } from '../../vocabulary/report-pace.ts'
import type { ComparatorClient } from '../comparator-client/comparator-client.ts'
import type { Disk } from '../disk.ts'
import type { Coverage } from '../ledger/coverage.ts'
import { pause } from '../pause.ts'
import { CoverageFile } from './coverage-file.ts'

const everyMs = 2000
const reportsPerMessageMax = 500

interface CoverageReporterOptions {
  coverage: Coverage
  comparator: ComparatorClient
  disk: Disk
  mirrors: readonly MirroredValidation[]
  file: string
  logRejection: (validation: string, reason: string) => void
  clock: Clock
  logger: Logger
  /** Until it returns true another process may still write to `file`. */
  isDiskOurs: () => boolean
  describe?: (isStopping: boolean) => MirrorReport | undefined
}

/**
 * Sends changed coverage reports every two seconds. While the comparator is away, unsent reports are kept in `file`, so
 * that a restart loses none: the totals of an ended process are final, and sending them again changes nothing. Every
 * `heartbeatMs` it sends what this mirror mirrors, so that the comparator knows of a mirror even if nothing arrives;
 * every `mirrorReportMs`, and at the end, it sends the mirror's state.
 */
export class CoverageReporter {
  readonly #options: CoverageReporterOptions
  readonly #kept: CoverageFile
  #heartbeatAt = Number.NEGATIVE_INFINITY
  #describedAt = Number.NEGATIVE_INFINITY
  #isDiskFailing = false
  #isKeepDue = false
  #keeping: Promise<void> | undefined
  #restoring: Promise<void> | undefined
  #isRestored = false

  constructor(options: CoverageReporterOptions) {
    this.#options = options
    this.#kept = new CoverageFile(options.file)
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // the disk is not waited for: one that hangs must not hold up the next reports
      void this.#restore()
      await this.#sendDue(signal)
      await pause(everyMs, signal)
    }
  }

  /** Sends everything due now; what could not be sent is kept, on disk too. `isLast`: the mirror is stopping. */
  async send(signal?: AbortSignal, isLast = false): Promise<void> {
    if (!this.#isRestored) await this.#restore()
    await this.#sendDue(signal, isLast)
    if (this.#keeping) await this.#options.disk.unlessHanging(this.#keeping)
  }

  async #sendDue(signal?: AbortSignal, isLast = false): Promise<void> {
    const { coverage, comparator, mirrors, logRejection, clock, describe } = this.#options
    let wasDelivered = true
    let hasLastWord = isLast
    let isMore = true
    while (isMore) {
      const { reports, acknowledge } = coverage.take(reportsPerMessageMax)
      const now = clock.monotonic()
      const beats = mirrors.length > 0 && now - this.#heartbeatAt >= heartbeatMs
      const describes = hasLastWord || now - this.#describedAt >= mirrorReportMs
      const mirror = describes ? describe?.(isLast) : undefined
      if (reports.length === 0 && !beats && !mirror) break
      const message = { reports, ...(beats && { mirrors }), ...(mirror && { mirror }) }
      const rejected = await comparator.reportCoverage(message, signal)
      wasDelivered = rejected !== undefined
      for (const rejection of rejected ?? []) {
        const report = reports[rejection.index]
        if (report) logRejection(report.validation, `${rejection.code}: ${rejection.message}`)
      }
      acknowledge(wasDelivered)
      if (beats && wasDelivered) this.#heartbeatAt = now
      if (mirror && wasDelivered) this.#describedAt = now
      hasLastWord = false
      // what changed meanwhile is due the next time, if there is one; something changes with every exchange
      isMore = wasDelivered && (isLast || reports.length === reportsPerMessageMax)
    }
    if (this.#isRestored && (!wasDelivered || this.#kept.isThere)) {
      this.#isKeepDue = true
      this.#keeping ??= this.#keepDue()
    } else if (isLast && !wasDelivered) this.#sayLost()
  }

  /** Logs the loss if the disk never became ours. */
  #sayLost(): void {
    const unsent = this.#options.coverage.unsent()
    if (unsent.length === 0) return
    const seen = unsent.reduce((sum, { report }) => sum + report.seen, 0)
    this.#options.logger.error({ seen }, 'coverage counts are lost: they could be neither sent nor kept')
  }

  async #keepDue(): Promise<void> {
    while (this.#isKeepDue) {
      this.#isKeepDue = false
      await this.#options.disk.inTurn(() => this.#keep())
    }
    this.#keeping = undefined
  }

  async #keep(): Promise<void> {
    const { coverage, file, logger } = this.#options
    try {
      await this.#kept.keep(coverage)
      this.#isDiskFailing = false
    } catch (error) {
      // retried every two seconds, so logged once
      if (!this.#isDiskFailing) logger.error({ err: error, file }, 'unsent coverage reports could not be kept')
      this.#isDiskFailing = true
    }
  }

  async #restore(): Promise<void> {
    const { coverage, disk, file, logger, isDiskOurs } = this.#options
    if (!isDiskOurs()) return
    this.#restoring ??= disk
      .inTurn(() => this.#kept.restoreTo(coverage))
      .catch((error) => {
        logger.error({ err: error, file }, 'kept coverage reports are unreadable')
      })
      .finally(() => {
        this.#isRestored = true
      })
    await disk.unlessHanging(this.#restoring)
  }
}
