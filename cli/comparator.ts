import { Command } from 'commander'

export const comparatorCommand = () =>
  new Command('comparator')
    .description('Run the comparator: evidence, gate, promotion, dashboard')
    .requiredOption('--config <file>', 'YAML file with a section comparator:')
    .action(async ({ config }: { config: string }) => {
      const { runComparator } = await import('../comparator/main.ts')
      await runComparator(config)
    })
