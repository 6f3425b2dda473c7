import { comparatorSchema } from '../../comparator/config.ts'
import { openDatabase } from '../../comparator/store/database/open-database.ts'
import { migrate, migrationStatus, warningOfOthers } from '../../comparator/store/migrate/migrate.ts'
import { loadSection } from '../../runtime/config/load-config.ts'
import { printJson } from '../print-json.ts'

export interface MigrateOptions {
  config: string
  status?: true
  json?: true
}

export async function runMigrate({ config, status, json }: MigrateOptions): Promise<void> {
  const { database } = loadSection(config, 'comparator', comparatorSchema)
  const { db, close } = await openDatabase(database, { onlyReads: status ?? false })
  try {
    const warning = status ? undefined : await warningOfOthers(db)
    if (warning) process.stderr.write(`${warning}\n`)
    const applied = status ? [] : await migrate(db)
    const migrations = await migrationStatus(db)
    if (json) printJson({ applied, migrations })
    else {
      const lines = migrations.map(({ name, appliedAt }) => `${(appliedAt ?? 'not applied').padEnd(24)}  ${name}`)
      if (!status) lines.push(applied.length === 0 ? 'no migration was missing' : `applied now: ${applied.join(', ')}`)
      process.stdout.write(`${lines.join('\n')}\n`)
    }
  } finally {
    await close()
  }
}
