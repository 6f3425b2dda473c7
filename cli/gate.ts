import { Command } from 'commander'
import type { GateReplay } from '../vocabulary/api/replay.ts'
import { verdicts } from '../vocabulary/verdict.ts'
import { ApiClient, type ServerOptions, withServerOptions } from './api-client.ts'
import { CliFailure, exitCodes } from './failure.ts'
import { printJson } from './print-json.ts'
import { printable } from './printable.ts'

interface Options extends ServerOptions {
  json?: true
  replay?: string | true
  since?: string
  limit?: string
}

const exitOf = { pass: exitCodes.ok, fail: exitCodes.fail, inconclusive: exitCodes.inconclusive }

export const gateCommand = () =>
  withServerOptions(new Command('gate'))
    .description('Print the verdict and its arithmetic; exit 0 pass, 1 fail, 3 inconclusive, 2 error')
    .argument('<validation>')
    .option(
      '--replay [id]',
      'judge stored evaluations again, or only this one; exit 0 if all that can be replayed come out the same, 1 if one differs, 3 if none can be replayed or time ran out',
    )
    .option('--since <time>', 'with --replay: only evaluations from this time on, such as 2026-11-21T08:00:00Z')
    .option('--limit <count>', 'with --replay: how many of the newest, at most 200')
    .action(async (validation: string, options: Options) => {
      if (options.replay !== undefined) return replay(validation, options)
      // a verdict over the whole window must not be taken for one since that time
      if (options.since !== undefined || options.limit !== undefined) {
        throw new CliFailure('--since and --limit need --replay')
      }
      const gate = await new ApiClient(options).gate(validation)
      // without an exit status of its own, it would end a pipeline's step as a pass does
      if (!verdicts.includes(gate.verdict)) {
        throw new CliFailure(`expected one of the verdicts ${verdicts.join(', ')}; got ${JSON.stringify(gate.verdict)}`)
      }
      if (options.json) printJson(gate)
      else {
        const checks = gate.checks.map(
          ({ verdict, text, reportOnly }) => `  ${verdict.padEnd(12)}  ${text}${reportOnly ? ' (report only)' : ''}`,
        )
        process.stdout.write(printable(`${validation}: ${gate.verdict}. ${gate.reason}\n${checks.join('\n')}\n`))
      }
      process.exitCode = exitOf[gate.verdict]
    })

async function replay(validation: string, { replay: id, since, limit, json, ...server }: Options): Promise<void> {
  const query = {
    ...(typeof id === 'string' && { id }),
    ...(since !== undefined && { since }),
    ...(limit !== undefined && { limit }),
  }
  const answer = await new ApiClient(server).replay(validation, query)
  const { evaluations, summary } = answer
  if (json) printJson(answer)
  else {
    for (const { at, id, verdict, from, replayed, differences, note } of evaluations) {
      const outcome = from === 'notReplayable' ? `not replayable: ${note}` : `${replayed}, from ${from}`
      process.stdout.write(`${at}  ${id}  ${verdict.padEnd(12)}  ${outcome}\n`)
      for (const { metric, field, stored, replayed: now } of differences) {
        process.stdout.write(printable(`    ${metric} ${field}: ${spell(stored)} then, ${spell(now)} now\n`))
      }
    }
    const { same, different, notReplayable, leftOut } = summary
    const some = leftOut > 0 ? `, ${leftOut} of these for lack of time` : ''
    process.stdout.write(
      `${validation}: ${same} the same, ${different} different, ${notReplayable} not replayable${some}\n`,
    )
  }
  process.exitCode = exitOfReplay(summary)
}

/** A replay that judged nothing proves nothing, and evaluations there was no time for may differ. */
export function exitOfReplay({ same, different, leftOut }: GateReplay['summary']): number {
  if (different > 0) return exitCodes.fail
  return same === 0 || leftOut > 0 ? exitCodes.inconclusive : exitCodes.ok
}

const spell = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
