import { Command } from 'commander'
import type { CheckOptions } from './config/check.ts'

const checkCommand = () =>
  new Command('check')
    .description('Validate a config file and print every problem; exit status 2 where there is one')
    .argument('<file>', 'YAML file with sections mirror:, candidateServer: and/or comparator:')
    .option('--json', 'print {"sections", "problems"} as JSON')
    .action(async (file: string, options: CheckOptions) => {
      const { checkConfig } = await import('./config/check.ts')
      checkConfig(file, options)
    })

export const configCommand = () =>
  new Command('config').description('Work with config files').addCommand(checkCommand())
