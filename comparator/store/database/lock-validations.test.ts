import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/support/database.ts'
import { appendAudit } from '../audit/audit.ts'
import { lockValidations } from './lock-validations.ts'
import { openDatabase } from './open-database.ts'

const onServer = process.env.DATABASE_URL !== undefined
if (!onServer) console.warn('DATABASE_URL is not set: the tests of locks are skipped')

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
    // the setting is the transaction's, not the connection's
    const { rows } = await sql`select current_setting('idle_in_transaction_session_timeout') as idle`.execute(other.db)
    expect(rows).toEqual([{ idle: '0' }])
  } finally {
    await frozen.close()
    await other.close()
    await database.drop()
  }
})

test.skipIf(!onServer)('a validation by the name of the audit does not hold the audit’s own lock', async () => {
  const database = await createTestDatabase()
  const [one, other] = [await openDatabase(database.url), await openDatabase(database.url)]
  const entry = { at: new Date(), actor: 'ana', role: 'admin' as const, action: 'x', validation: null, details: {} }
  try {
    await one.db.transaction().execute(async (tx) => {
      await lockValidations(tx, ['audit', 'migrate', 'partitions'])
      await other.db.transaction().execute((tx) => appendAudit(tx, entry))
    })
  } finally {
    await one.close()
    await other.close()
    await database.drop()
  }
})
