import { Command } from 'commander'

export const mirrorCommand = () =>
  new Command('mirror')
    .description('Run the mirror: forward traffic to the primary, mirror it to candidates')
    .requiredOption('--config <file>', 'YAML file with a section mirror:')
    .action(async ({ config }: { config: string }) => {
      const { runMirror } = await import('../mirror/main.ts')
      await runMirror(config)
    })
