import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../runtime/clock.ts'
import type { Lifecycle } from '../runtime/lifecycle.ts'
import type { Logger } from '../runtime/logger.ts'
import type { CoverageReport } from '../vocabulary/coverage.ts'
import type { ByteBudget } from './capture/byte-budget.ts'
import { ComparatorClient } from './comparator-client/comparator-client.ts'
import type { MirrorConfig } from './config.ts'
import { coverageFileIn } from './delivery/coverage-file.ts'
import { openSpool } from './delivery/open-spool.ts'
import { Outbox } from './delivery/outbox.ts'
import { rejectionLog } from './delivery/rejections.ts'
import { CoverageReporter } from './delivery/report-coverage.ts'
import { Disk, DiskHangs, readInTime } from './disk.ts'
import type { Fields } from './http1/fields.ts'
import { Coverage } from './ledger/coverage.ts'
import { Ledger } from './ledger/ledger.ts'
import { nothingResumed } from './ledger/resumed.ts'
import { allPrimary, RoutingFollower } from './routing/follow-routing.ts'
import { SelfReport } from './self-report.ts'
import type { Stage } from './stage.ts'

/** Time for observations, then for the last coverage reports, once clients and shadows are done. */
const graceMs = 3000

interface DeliveryOptions {
  config: MirrorConfig
  worker: number
  budget: ByteBudget
  coverageBefore: readonly CoverageReport[]
  clock: Clock
  logger: Logger
  lifecycle: Lifecycle
}

/**
 * All that passes between a mirror and its comparator: observations, counts and the mirror's own state to it, the
 * routing from it. Without a comparator there are only counts. Rejects if another mirror holds the spool.
 */
export async function openDelivery(options: DeliveryOptions) {
  const { config, worker, budget, coverageBefore, clock, logger, lifecycle } = options
  const { dir } = config.spool
  const comparator = config.comparator && new ComparatorClient(config.comparator.url, config.comparator.token)
  const coverage = comparator && new Coverage(randomUUIDv7())
  coverage?.restore(coverageBefore, false)
  const ledger = new Ledger(coverage)
  const disk = new Disk(logger)
  const isDiskOurs = () => spool?.isReady ?? false
  const file = join(dir, 'routing.json')
  const lastKnown = comparator ? await readInTime(file).catch((error: Error) => error) : ''
  const follower = comparator && new RoutingFollower({ comparator, disk, file, lastKnown, isDiskOurs, clock, logger })
  const noRouting = allPrimary(clock)
  const isHanging = lastKnown instanceof DiskHangs
  const opening = comparator && openSpool({ config, worker, disk, isHanging, ledger, logger, clock })
  const { spool, resumed = nothingResumed } = (await opening) ?? {}
  lifecycle.onStop('spool', () => spool && disk.unlessHanging(disk.inTurn(() => spool.close())))
  const logRejection = rejectionLog('an observation', clock, logger)
  const outbox = new Outbox({ comparator, disk, spool, budget, ledger, logRejection, logger })
  let begun: { self: SelfReport; stage: () => Stage } | undefined
  const reporter =
    coverage &&
    new CoverageReporter({
      coverage,
      comparator,
      disk,
      get mirrors() {
        return begun?.stage().mirrored ?? []
      },
      file: coverageFileIn(dir),
      logRejection: rejectionLog('a coverage report', clock, logger),
      clock,
      logger,
      isDiskOurs,
      describe: (isStopping) => begun?.self.describe(isStopping),
    })
  let work: Promise<void>[] = []

  // released in reverse order
  lifecycle.onStop('comparator', () => comparator?.close())
  lifecycle.onStop('coverage', () => reporter?.send(AbortSignal.timeout(graceMs), true))
  lifecycle.onStop('outbox', () => outbox.close(graceMs))
  lifecycle.onStop('background work', () => Promise.all(work))
  return {
    coverage,
    ledger,
    follower,
    spool,
    resumed,
    outbox,
    /** Tells the next process that the spool will be free soon. */
    announceRelease: () => void disk.inTurn(async () => spool?.announceRelease()),
    useToken: (token: string) => comparator?.useToken(token),
    routing: () => follower?.current ?? noRouting,
    candidateAnswered: (validation: string, fields: Fields) => begun?.self.answered(validation, fields),
    /** Only once the mirror listens: one that could not start must not report under another's `name`. */
    begin(name: string, stage: () => Stage): void {
      const { workers } = config
      begun = { self: new SelfReport({ name, worker, workers, clock, ledger, outbox, spool, stage }), stage }
      if (follower && reporter) {
        const report = (error: unknown) => logger.error({ err: error }, 'background work ended')
        work = [follower.follow(lifecycle.signal), reporter.run(lifecycle.signal)].map((task) => task.catch(report))
      } else logger.warn('no comparator: is configured; shadow requests are sent, but nothing is compared')
    },
  }
}
