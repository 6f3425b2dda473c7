import { Command } from 'commander'
import type { CheckOptions } from './config/check.ts'
import type { TryOptions } from './config/try.ts'

const checkCommand = () =>
  new Command('check')
    .description('Validate a config file and print every problem; exit status 2 where there is one')
    .argument('<file>', 'YAML file with sections mirror:, candidateServer: and/or comparator:')
    .option('--json', 'print {"sections", "problems"} as JSON')
    .action(async (file: string, options: CheckOptions) => {
      const { checkConfig } = await import('./config/check.ts')
      checkConfig(file, options)
    })

const tryCommand = () =>
  new Command('try')
    .description('Print what a validation finds in response bodies that were saved; exit status 1 where it finds none')
    .argument('<file>', 'YAML file with a section comparator:')
    .argument('<validation>', 'its name')
    .option('--primary <file>', 'a body of the primary’s, as curl -o saves it; - for standard input')
    .option('--candidate <file>', 'a body of the candidate’s')
    .option('--json', 'print {"": {"primary", "candidate", "disagreement", "problem"}, OUTPUT: …} as JSON')
    .action(async (file: string, validation: string, options: TryOptions) => {
      const { tryConfig } = await import('./config/try.ts')
      await tryConfig(file, validation, options)
    })

export const configCommand = () =>
  new Command('config').description('Work with config files').addCommand(checkCommand()).addCommand(tryCommand())
