import type { Kysely, Transaction } from 'kysely'
import type { Logger } from '../../../runtime/logger.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import type { freeBytesOf } from './disk-room.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface OpenOptions {
  /** How long a server may be silent, once that is limited. */
  silenceMs?: Milliseconds
  /** A replica will do then, and an embedded database must be there already. */
  onlyReads?: boolean
  /** Free space on the disk that holds a directory. */
  freeBytes?: typeof freeBytesOf | undefined
  logger?: Logger
}

export interface OpenDatabase {
  db: Db
  /** Whether the disk has room for more evidence; always true for a server, which looks after its own disk. */
  hasRoom: () => Promise<boolean>
  /** To be called periodically where present; a server analyses its tables itself. */
  analyse?: () => Promise<unknown>
  /**
   * Gives up a connection, from now on, whose server has not answered for longer than any statement may take. To be
   * called after the migration, whose statements may take any time. Where a server's host is gone, TCP alone would have
   * each query wait for a quarter of an hour, and all connections of the pool with them.
   */
  limitSilence: () => void
  close: () => Promise<void>
}
