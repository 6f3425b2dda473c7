import { type ComparatorConfig, comparatorSchema } from '../../comparator/config.ts'
import { knownValidations } from '../../comparator/jobs/comparator.ts'
import { foldGroups } from '../../comparator/jobs/expire.ts'
import { type RunningComparator, startComparator } from '../../comparator/server.ts'
import { openDatabase } from '../../comparator/store/database/open-database.ts'
import { addValidations } from '../../comparator/store/gate/policies.ts'
import { migrate } from '../../comparator/store/migrate/migrate.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { createLogger } from '../../runtime/logger.ts'
import { fillMonth } from '../gate/fill-month.ts'
import { tokenConfig } from '../showcase/people.ts'

/** A comparator whose validations each have the rollups of a month of `size` observations, and nothing else. */
export async function startMonth(database: string, validations: unknown[], size: number): Promise<RunningComparator> {
  const raw = { listen: '127.0.0.1:0', database, tokens: tokenConfig, validations }
  const { value, problems } = decodeSection(raw, 'comparator', comparatorSchema, {})
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const config = value as ComparatorConfig
  await fillMonths(config, size)
  return startComparator({ config, logger: createLogger('bench', 'error') })
}

/** Writes the rollups to the config's database before a comparator uses it. */
async function fillMonths(config: Pick<ComparatorConfig, 'database' | 'validations'>, size: number): Promise<void> {
  const { db, close } = await openDatabase(config.database)
  try {
    await migrate(db)
    const validations = knownValidations(config.validations)
    await addValidations(db, [...validations.values()])
    for (const one of config.validations) await fillMonth(db, one, size)
    await foldGroups({ db, validations }, Date.now())
  } finally {
    await close()
  }
}
