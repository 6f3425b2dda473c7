import { type Command, InvalidArgumentError } from 'commander'

/** Reports all invalid and missing options together before the command runs; commander stops at the first. */
export function reportAllProblems(command: Command): void {
  const problems: string[] = []
  for (const option of command.options) {
    const parse = option.parseArg
    if (!parse) continue
    option.parseArg = (value, previous) => {
      try {
        return parse(value, previous)
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error
        problems.push(`error: option '${option.flags}' argument '${value}' is invalid. ${error.message}`)
        return previous
      }
    }
  }
  const end = command.error.bind(command)
  command.error = (message, options) => {
    problems.push(message)
    // parsing goes on after a missing option; after any other error the rest of the command line cannot be parsed
    if (options?.code !== 'commander.missingMandatoryOptionValue') end(problems.join('\n'), options)
    return undefined as never
  }
  command.hook('preAction', () => {
    if (problems.length > 0) end(problems.join('\n'), { code: 'commander.invalidArgument' })
  })
}
