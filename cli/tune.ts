import { extname } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import {
  collect,
  count,
  defaultingTo,
  duration,
  listOf,
  parseShape,
  percentile,
  positiveDuration,
} from './option-values.ts'
import { type SwitchName, switchNames } from './tune/configuration.ts'
import type { TuneOptions } from './tune/tune-model.ts'

export const tuneCommand = () =>
  new Command('tune')
    .description(
      'Find the settings with which an ONNX model has the most throughput on this machine, within a latency limit',
    )
    .requiredOption('--model <file>', 'the ONNX file')
    .option(
      '--also <file>',
      'another file of the model, such as its INT8 export, with rows of its own; repeatable',
      collect,
    )
    .option('--latency <time>', 'latency limit, such as 50ms (default: none, only throughput counts)', positiveDuration)
    .option('--percentile <p>', 'the percentile that --latency limits', percentile, 99)
    .option('--exhaustive', 'try every instances × threads × batch × delay, then every combination of the switches')
    .option('--requests <file>', 'requests as for `understudy load` (default: made from the model’s inputs)')
    .option(
      '--shape <name=sizes>',
      'shape of an input with open dimensions, such as image=1x3x224x224; repeatable',
      shapes,
    )
    .option('--config <file>', "config with the model's entry (adapter, labels …) (default: that of --write)")
    .option('--name <name>', "the model's name (default: as in the config, else the file's)")
    .option('--adapter <adapter>', "the model's adapter, for --requests to /predictions/NAME without a config")
    .option('--instances <list>', 'numbers of instances to try, such as 1,2', listOf(count))
    .option('--threads <list>', 'numbers of threads to try', listOf(count))
    .option('--batch <list>', 'largest batches to try (default: 1,2,4,8,16,32)', listOf(count))
    .option('--delay <list>', 'longest waits for a batch to try (default: 0ms,1ms,2ms,5ms)', listOf(duration))
    .addOption(defaultingTo(switchNames.join(','), '--switches <list>', 'switches to try, or none', switches))
    .option(
      '--clients <n>',
      'requests under way at once (default: from one for each place in a batch up, while more help)',
      count,
    )
    .addOption(defaultingTo('1s', '--window <time>', 'length of one measurement; three must agree', positiveDuration))
    .option('--picture <file>', 'draw throughput against latency as .svg or .html', picturePath)
    .option('--write <file>', 'set cpu: and batch: in this config, keeping comments (default: print them)')
    .option('--even-if-busy', 'measure even if something else keeps the CPUs busy')
    .option('--json', 'print everything measured as JSON')
    .addHelpText('after', '\nExit status: 0 found, 1 nothing holds the limit, 2 error, 130 interrupted.')
    .action(async (options: TuneOptions) => {
      // imported here so that other commands do not wait for these modules to load
      const { tuneModel } = await import('./tune/tune-model.ts')
      process.exitCode = await tuneModel(options)
    })

const shapes = (text: string, before: [string, number[]][] = []) => [...before, parseShape(text)]

function switches(text: string): SwitchName[] {
  if (text === 'none') return []
  return listOf((name) => {
    if (!switchNames.includes(name as SwitchName)) {
      throw new InvalidArgumentError(`expected none, or some of ${switchNames.join(', ')}`)
    }
    return name as SwitchName
  })(text)
}

function picturePath(file: string): string {
  if (!['.svg', '.html'].includes(extname(file))) throw new InvalidArgumentError('expected a file.svg or file.html')
  return file
}
