import { comparatorSchema, type ValidationConfig } from '../../comparator/config.ts'
import { type Comparator, knownValidations } from '../../comparator/jobs/comparator.ts'
import { type Db, openDatabase } from '../../comparator/store/database/open-database.ts'
import { addValidations } from '../../comparator/store/gate/policies.ts'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { createLogger } from '../../runtime/logger.ts'
import { createTestDatabase } from './database.ts'
import { tokenConfig } from './tokens.ts'

const dayMs = 86_400_000

/** What the intake's jobs work with, on this database: a comparator without HTTP. */
export function intakeOn(db: Db, validations: unknown[], clock: Clock = systemClock): Comparator {
  const { value, problems } = decodeSection({ validations, tokens: tokenConfig }, 'comparator', comparatorSchema, {})
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const configs = (value as { validations: ValidationConfig[] }).validations
  return {
    db,
    clock,
    logger: createLogger('test', 'error'),
    validations: knownValidations(configs),
    retention: { observations: 14 * dayMs, bodies: 3 * dayMs },
    policies: { has: () => true, isInForce: async () => true, require: async () => {} },
    arrivals: { noteExchange: () => {}, noteHeartbeat: () => {} },
    webhooks: { expire: async () => {} },
    routingChanged: () => {},
  } as unknown as Comparator
}

/** A separate database with the newest schema and these validations. */
export async function openTestStore(validations: unknown[], clock?: Clock) {
  const testDatabase = await createTestDatabase()
  const { db, close } = await openDatabase(testDatabase.url)
  const comparator = intakeOn(db, validations, clock)
  await addValidations(db, [...comparator.validations.values()])
  return {
    db,
    url: testDatabase.url,
    comparator,
    close: async () => {
      await close()
      await testDatabase.drop()
    },
  }
}
