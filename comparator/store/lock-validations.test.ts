import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/support/database.ts'
import { lockValidations } from './lock-validations.ts'
import { openDatabase } from './open-database.ts'

const onServer = process.env.DATABASE_URL !== undefined
if (!onServer) console.warn('DATABASE_URL is not set: the test of a lock that was left behind is skipped')

test.skipIf(!onServer)('a holder that says nothing more loses the lock to who waits for it', async () => {
  const database = await createTestDatabase()
  const [frozen, other] = [await openDatabase(database.url), await openDatabase(database.url)]
  try {
    const left = frozen.db.transaction().execute(async (tx) => {
      await lockValidations(tx, ['digits'], 50)
      await other.db.transaction().execute((tx) => lockValidations(tx, ['digits']))
      await sql`select 1`.execute(tx)
    })
    await expect(left).rejects.toThrow(/connection/i)
    // the transaction's own, and not the connection's
    const { rows } = await sql`select current_setting('idle_in_transaction_session_timeout') as idle`.execute(other.db)
    expect(rows).toEqual([{ idle: '0' }])
  } finally {
    await frozen.close()
    await other.close()
    await database.drop()
  }
})
