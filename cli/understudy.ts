#!/usr/bin/env node
// first: what it enables holds of what is imported after it, and of the processes that this one starts
import './compile-cache.ts'
import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
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
import { promoteCommand } from './promote.ts'
import { rejectCommand } from './reject.ts'
import { rollbackCommand } from './rollback.ts'
import { tellAllAtOnce } from './tell-all-at-once.ts'
import { tuneCommand } from './tune.ts'

const program = new Command('understudy')
  .description(
    'Shadow validation for ML models: mirror traffic to a candidate, compare the answers, promote on evidence.',
  )
  .version(packageJson.version, '-V, --version', 'print the version')
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
for (const command of commands) program.addCommand(command())
inherit(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Of subcommands too: else commander itself ends the process with 1, which of `audit verify` means a broken chain. */
function inherit(command: Command): void {
  // the whole help of `load` would push what was wrong off the screen
  command.showHelpAfterError(`Usage: ${command.createHelp().commandUsage(command)}; --help tells more`)
  tellAllAtOnce(command)
  for (const subcommand of command.commands) inherit(subcommand.copyInheritedSettings(command))
}

/** Says what went wrong in words; a stack is for our own mistakes only. Returns the exit status. */
function report(error: unknown): number {
  if (error instanceof CliFailure) {
    process.stderr.write(`${error.message}\n`)
    return error.exitCode
  }
  const { name, message } = error as Error
  // 0 where help or version was asked for; help in place of a command that is missing is a failure
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  if (name === 'ConfigError') {
    process.stderr.write(`${message}\n`)
    return exitCodes.usage
  }
  const said = process.env.LOG_LEVEL === 'debug' ? (error as Error).stack : (listenProblem(message) ?? message)
  process.stderr.write(`understudy: ${said}\n`)
  return 1
}
