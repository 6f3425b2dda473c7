import { Command } from 'commander'
import type { MigrateOptions } from './migrate/run.ts'

export const migrateCommand = () =>
  new Command('migrate')
    .description("Bring the comparator's database up to date")
    .requiredOption('--config <file>', 'YAML file with a section comparator:')
    .option('--status', 'only list the migrations and when each was applied')
    .option('--json', 'print JSON')
    .action(async (options: MigrateOptions) => {
      const { runMigrate } = await import('./migrate/run.ts')
      await runMigrate(options)
    })
