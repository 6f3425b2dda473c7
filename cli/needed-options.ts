import type { Command } from 'commander'
import { CliFailure } from './failure.ts'

/** Throws a `CliFailure` if an option was given that has no effect without another, such as `{percentile: 'latency'}`. */
export function requireNeededOptions(command: Command, needs: Record<string, string>): void {
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli'
  const flagsOf = (name: string) => command.options.find((option) => option.attributeName() === name)!.flags
  const problems = Object.entries(needs)
    .filter(([option, needed]) => isGiven(option) && !isGiven(needed))
    .map(([option, needed]) => `${flagsOf(option)} needs ${flagsOf(needed)}`)
  if (problems.length > 0) throw new CliFailure(problems.join('\n'))
}
