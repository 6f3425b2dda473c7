import { Command } from 'commander'
import { comparatorSchema } from '../comparator/config.ts'
import { migrate, migrationStatus } from '../comparator/store/migrate.ts'
import { openDatabase } from '../comparator/store/open-database.ts'
import { loadSection } from '../runtime/config/load-config.ts'

interface Options {
  config: string
  status?: true
  json?: true
}

export const migrateCommand = () =>
  new Command('migrate')
    .description("Bring the comparator's database up to date")
    .requiredOption('--config <file>', 'YAML file with a section comparator:')
    .option('--status', 'only list the migrations and when each was applied')
    .option('--json', 'print JSON')
    .action(async ({ config, status, json }: Options) => {
      const { db, close } = await openDatabase(loadSection(config, 'comparator', comparatorSchema).database)
      try {
        const applied = status ? [] : await migrate(db)
        const migrations = await migrationStatus(db)
        if (json) process.stdout.write(`${JSON.stringify({ applied, migrations })}\n`)
        else {
          const lines = migrations.map(({ name, appliedAt }) => `${(appliedAt ?? 'not applied').padEnd(24)}  ${name}`)
          process.stdout.write(`${lines.join('\n')}\n`)
        }
      } finally {
        await close()
      }
    })
