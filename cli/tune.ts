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
      'Find the settings that give an ONNX model the most throughput on this machine, within a latency limit',
    )
    .requiredOption('--model <file>', 'the ONNX file')
    .option(
      '--also <file>',
      'another file of it, such as its INT8 export: rows of its own; may be given again',
      collect,
    )
    .option('--latency <time>', 'the limit, such as 50ms (default: none, the most throughput)', positiveDuration)
    .option('--percentile <p>', 'which percentile must hold it', percentile, 99)
    .option('--exhaustive', 'try every instances × threads × batch × delay, then every combination of the switches')
    .option('--requests <file>', 'JSON lines as for `understudy load` (default: made from the model’s inputs)')
    .option('--shape <name=sizes>', 'of an input with free dimensions: image=1x3x224x224; may be given again', shapes)
    .option('--config <file>', "where the model's entry (adapter, labels …) is taken from (default: that of --write)")
    .option('--name <name>', "the model's name (default: as in the config, else the file's)")
    .option('--adapter <adapter>', 'for --requests to /predictions/NAME without a config')
    .option('--instances <list>', 'only these, such as 1,2', listOf(count))
    .option('--threads <list>', 'only these', listOf(count))
    .option('--batch <list>', 'only these largest batches (default: 1,2,4,8,16,32)', listOf(count))
    .option('--delay <list>', 'only these longest waits for a batch (default: 0ms,1ms,2ms,5ms)', listOf(duration))
    .addOption(defaultingTo(switchNames.join(','), '--switches <list>', 'which of these to turn, or none', switches))
    .option('--clients <n>', 'so many at once (default: from one for each place in a batch, as many as help)', count)
    .addOption(defaultingTo('1s', '--window <time>', 'of one measurement; three that agree count', positiveDuration))
    .option('--picture <file>', 'throughput against latency as .svg or .html', picturePath)
    .option('--write <file>', 'set cpu: and batch: in this config; comments stay (default: print them)')
    .option('--even-if-busy', 'measure although something else keeps the CPUs busy')
    .option('--json', 'print everything measured as JSON')
    .addHelpText('after', '\nExit status: 0 found, 1 nothing satisfies the limit, 2 error, 130 interrupted.')
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
