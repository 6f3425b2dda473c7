import type { Clock } from '../../runtime/clock.ts'
import { DirectoryLockedError } from '../../runtime/directory-lock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { MirrorConfig } from '../config.ts'
import { type Disk, DiskHangs, inTime } from '../disk.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Resumed } from '../ledger/resumed.ts'
import { adoptSpools } from './arrange-spools.ts'
import { Spool, type SpoolWatch } from './spool.ts'

/** Logged before the spool is opened: a disk that hangs delays the start, and nothing can be logged meanwhile. */
export const openingSpool = 'opening the spool; the start waits for its disk'

const notOpened = 'the spool cannot be opened; it is tried again every second'

interface SpoolOptions {
  config: MirrorConfig
  worker: number
  disk: Disk
  /** The disk has not answered so far: the outbox opens the spool once it does. */
  isHanging: boolean
  ledger: Ledger
  logger: Logger
  clock: Clock
}

/**
 * Locks the spool and lists its contents, now or as soon as the disk can be read and written. Worker 0 also adopts the
 * spools of workers that no longer exist. The outbox reads the contents while clients are served.
 *
 * Throws if another mirror holds the spool. The start does not wait for a disk that fails or hangs, nor for a lock that
 * may be released soon: that of a process that is leaving (such as a worker that lost its supervisor), or of a container
 * that may have been killed and recreated.
 */
export async function openSpool(options: SpoolOptions): Promise<{ spool: Spool; resumed: Resumed }> {
  const { config, worker, disk, isHanging, ledger, logger, clock } = options
  const { dir, sizeMax } = config.spool
  const counts: Record<string, number> = {}
  const watch: SpoolWatch = {
    found(validation, count) {
      ledger.resume(validation, count)
      counts[validation] = (counts[validation] ?? 0) + count
    },
    lost(validation, count) {
      logger.error({ validation, count }, 'observations on disk could not be read')
      const minute = clock.now() - (clock.now() % 60_000)
      for (let i = 0; i < count; i++) ledger.skip({ validation, minute, sizeClass: 'le1KiB' }, 'shed')
    },
    damaged(file, offset) {
      logger.warn({ file, offset }, 'a spool segment is damaged from this offset on; it is kept as *.damaged')
    },
  }
  const spool = new Spool(dir, sizeMax, watch, async () => {
    if (worker === 0) await adoptSpools(dir, config.workers, logger)
  })
  try {
    if (isHanging) throw new DiskHangs()
    await inTime(disk.inTurn(() => spool.open()))
  } catch (error) {
    if (!(error instanceof DirectoryLockedError)) logger.error({ err: error, dir }, notOpened)
    else if (error.isPassing) logger.warn({ reason: error.message, dir }, notOpened)
    else throw error
  }
  const resumed = {
    counts,
    get isAll() {
      return !spool.hasUnread
    },
  }
  return { spool, resumed }
}
