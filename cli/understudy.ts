#!/usr/bin/env node
// must come first: it applies to everything imported after it, and to the processes that this one starts
import './compile-cache.ts'
import { Command, CommanderError, Help } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { ConfigError } from '../runtime/config/problem.ts'
import { auditCommand } from './audit.ts'
import { candidateServerCommand } from './candidate-server.ts'
import { comparatorCommand } from './comparator.ts'
import { configCommand } from './config.ts'
import { demoCommand } from './demo.ts'
import { CliFailure, exitCodes } from './failure.ts'
import { gateCommand } from './gate.ts'
import { listenProblem } from './listen-problem.ts'
import { loadCommand } from './load.ts'
import { migrateCommand } from './migrate.ts'
import { mirrorCommand } from './mirror.ts'
import { planCommand } from './plan.ts'
import { printable } from './printable.ts'
import { promoteCommand } from './promote.ts'
import { rejectCommand } from './reject.ts'
import { reportAllProblems } from './report-all-problems.ts'
import { rollbackCommand } from './rollback.ts'
import { tuneCommand } from './tune.ts'
import { tolerateUnreadOutput } from './unread-output.ts'

const program = new Command('understudy')
  .description(
    'Shadow validation for ML models: mirror traffic to a candidate, compare the answers, promote on evidence.',
  )
  .version(packageJson.version, '-V, --version', 'print the version')
  .configureHelp({
    optionDescription(option) {
      const description = Help.prototype.optionDescription.call(this, option)
      return option.mandatory ? `${description} (required)` : description
    },
  })
  .exitOverride()

const commands = [
  demoCommand,
  mirrorCommand,
  candidateServerCommand,
  comparatorCommand,
  configCommand,
  migrateCommand,
  planCommand,
  tuneCommand,
  loadCommand,
  gateCommand,
  promoteCommand,
  rollbackCommand,
  rejectCommand,
  auditCommand,
]
/** Their exit status 1 says that they could not start or end well; of all others it is a verdict. */
const withoutVerdict = ['demo', 'mirror', 'candidate-server', 'comparator', 'migrate']
for (const command of commands) program.addCommand(command())
inherit(program)
tolerateUnreadOutput()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Applies to subcommands too; otherwise commander exits with 1, which `audit verify` uses for a broken chain. */
function inherit(command: Command): void {
  // the full help of `load` would scroll the error off the screen
  command.showHelpAfterError(`Usage: ${command.createHelp().commandUsage(command)}; --help tells more`)
  reportAllProblems(command)
  for (const subcommand of command.commands) inherit(subcommand.copyInheritedSettings(command))
}

/** Reports the error in words; stacks are only for bugs. Returns the exit status. */
function report(error: unknown): number {
  if (error instanceof CliFailure) {
    process.stderr.write(`${printable(error.message)}\n`)
    return error.exitCode
  }
  const { message } = error as Error
  // help and --version exit with 0, but help shown because the command is missing is a failure
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  if (error instanceof ConfigError) {
    process.stderr.write(`${message}\n`)
    return exitCodes.usage
  }
  const said = process.env.LOG_LEVEL === 'debug' ? (error as Error).stack : (listenProblem(message) ?? message)
  process.stderr.write(`understudy: ${said}\n`)
  return withoutVerdict.includes(program.args[0] ?? '') ? exitCodes.fail : exitCodes.usage
}
