import { Command } from 'commander'
import type { CheckOptions } from './config/check.ts'
import type { TryOptions } from './config/try.ts'

const checkCommand = () =>
  new Command('check')
    .description('Validate a config file and print every problem; exit 2 if there is one')
    .argument('<file>', 'YAML file with any of the sections mirror:, candidateServer:, comparator:')
    .option('--json', 'print {"sections", "problems"} as JSON')
    .action(async (file: string, options: CheckOptions) => {
      const { checkConfig } = await import('./config/check.ts')
      checkConfig(file, options)
    })

const tryCommand = () =>
  new Command('try')
    .description('Print what a validation reads from saved response bodies; exit 1 if it cannot read one')
    .argument('<file>', 'YAML file with a section comparator:')
    .argument('<validation>', "the validation's name")
    .option('--primary <file>', 'a response body of the primary, as saved by curl -o; - for standard input')
    .option('--candidate <file>', 'a response body of the candidate, likewise')
    .option('--json', 'print {"": {"primary", "candidate", "disagreement", "problem"}, OUTPUT: …} as JSON')
    .action(async (file: string, validation: string, options: TryOptions) => {
      const { tryConfig } = await import('./config/try.ts')
      await tryConfig(file, validation, options)
    })

export const configCommand = () =>
  new Command('config').description('Work with config files').addCommand(checkCommand()).addCommand(tryCommand())
