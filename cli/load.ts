import { Command, InvalidArgumentError, Option } from 'commander'
import { serverUrl } from './api-client.ts'
import { spacings } from './load/arrivals.ts'
import type { LoadOptions } from './load/load-target.ts'
import { parseReplaced, type Replaced } from './load/yearly-cost.ts'
import { requireNeededOptions } from './needed-options.ts'
import {
  collect,
  count,
  defaultingTo,
  duration,
  percentile,
  positiveDuration,
  positiveNumber,
  share,
  targetUrl,
} from './option-values.ts'

/** Options without effect unless another is given. */
const needs = {
  fromValidation: 'server',
  requestsMax: 'fromValidation',
  server: 'fromValidation',
  token: 'fromValidation',
  percentile: 'latency',
  failuresMax: 'latency',
  findCapacity: 'latency',
  rateMax: 'findCapacity',
  podsFor: 'findCapacity',
  targetPods: 'findCapacity',
  regions: 'findCapacity',
  replaces: 'findCapacity',
  headroom: 'podsFor',
  pricePerHour: 'podsFor',
}

export const loadCommand = () =>
  new Command('load')
    .description(
      'Send requests at a fixed rate and report latencies and failures; or find the highest rate within a limit',
    )
    .requiredOption('--target <url>', "URL of the server to load; its path goes before each request's", targetUrl)
    .option(
      '--requests <file>',
      'file of JSON lines {"method", "path", "headers", "body" | "bodyBase64"}, sent in turn',
    )
    .option('--from-validation <name>', "or the newest requests of this validation, from the comparator's store")
    .option('--requests-max <n>', 'how many of them at most', count, 1000)
    .option('--server <url>', "the comparator's address, with --from-validation", serverUrl)
    .option('--token <token>', 'bearer token for the comparator (default: $UNDERSTUDY_TOKEN)')
    .option('--header <name: value>', 'a header that overrides the stored ones; repeatable', collect)
    .option('--rate <n>', 'requests per second; with --find-capacity, the first rate', positiveNumber, 10)
    .addOption(
      defaultingTo('10s', '--duration <time>', 'how long to load; with --find-capacity, each step', positiveDuration),
    )
    .addOption(defaultingTo('1s', '--warm-up <time>', 'load at the same rate beforehand, not counted', duration))
    .addOption(
      new Option(
        '--arrivals <spacing>',
        'even gaps, or poisson as from independent clients (default: even; with --find-capacity poisson)',
      ).choices(spacings),
    )
    .option('--connections <n>', 'most connections open at once', count, 256)
    .addOption(
      defaultingTo('30s', '--timeout <time>', 'a request that takes longer counts as failed', positiveDuration),
    )
    .option('--seed <n>', 'seed of poisson arrivals', count, 1)
    .option('--latency <time>', 'limit for --percentile; the exit status says whether it held', positiveDuration)
    .option('--percentile <p>', 'the percentile that --latency limits', percentile, 99)
    .addOption(defaultingTo('0%', '--failures-max <share>', 'share of requests that may fail within the limit', share))
    .option('--find-capacity', 'find the highest rate at which --latency holds')
    .option('--rate-max <n>', 'with --find-capacity: highest rate to try', positiveNumber, 100_000)
    .option('--pods-for <rate>', 'with --find-capacity: print how many pods serve this many requests/s', positiveNumber)
    .addOption(
      defaultingTo('30%', '--headroom <share>', "with --pods-for: share of each pod's capacity kept free", share),
    )
    .option('--target-pods <n>', 'with --find-capacity: pods behind the target', count, 1)
    .option('--regions <n>', 'number of regions; each serves --pods-for and gives back --replaces', count, 1)
    .option('--price-per-hour <price>', 'with --pods-for: price of one pod', positiveNumber)
    .option(
      '--replaces <units@price>',
      'with --find-capacity: machines given back in each region and their hourly price, such as 15@1.306',
      replaced,
    )
    .option('--json', 'print what was measured as JSON')
    .addHelpText(
      'after',
      '\nExit status: 0 the limit held, 1 it did not (without --latency: something failed), 2 error, 130 interrupted.\nLoad only what is yours to load.',
    )
    .action(async (options: LoadOptions, command: Command) => {
      requireNeededOptions(command, needs)
      // imported here so that other commands do not wait for an HTTP client to load
      const { loadTarget } = await import('./load/load-target.ts')
      process.exitCode = await loadTarget(options)
    })

function replaced(text: string): Replaced {
  try {
    return parseReplaced(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}
