import { writeFileSync } from 'node:fs'
import { planCpus } from '../../candidate-server/cpu/plan.ts'
import { readTopology } from '../../candidate-server/cpu/topology.ts'
import { CliFailure } from '../failure.ts'
import { fewAnswers } from '../load/few-answers.ts'
import { printJson } from '../print-json.ts'
import { printable } from '../printable.ts'
import { sectionsOf } from './configuration.ts'
import { drawPicture, htmlPage } from './picture.ts'
import { noiseOf, type Row, ranked } from './rows.ts'
import type { TuneResult, TuneSettings } from './run-tune.ts'
import { betterLine, noiseLine, tuneTable } from './tune-table.ts'
import { configText, type TunedModel, writeConfig } from './write-config.ts'

interface ReportOptions {
  write?: string
  picture?: string
  json?: true
}

/** Prints the figures first, so that they are not lost if a file cannot be written. */
export function reportTune(
  result: TuneResult,
  settings: TuneSettings,
  tuned: TunedModel,
  { write, picture, json }: ReportOptions,
): void {
  const { rows, chosen, warnings, interrupted } = result
  const { limit, model } = settings
  const table = tuneTable(rows, chosen?.configuration, limit, model.path)
  const remarks = [
    noiseLine(rows, chosen?.configuration),
    ...(chosen && limit.latencyMs !== undefined ? fewAnswers(limit.percentile, chosen.best.requests, '--window') : []),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...failuresOf(result).map((message) => `failed: ${message}`),
    ...(result.better ? [betterLine(result.better.configuration, model.path)] : []),
  ]
  if (json) printJson(jsonOf(result, settings))
  else if (rows.length === 0) process.stdout.write('nothing was measured\n')
  else
    process.stdout.write(printable(`${[table, '', ...remarks].join('\n')}\n\n${conclusion(result, settings, tuned)}\n`))
  // an interrupted search has a result, but not the best one
  if (write !== undefined && chosen && !interrupted) {
    writing(write, () => writeConfig(write, chosen.configuration, tuned))
  }
  if (picture !== undefined && rows.some(({ kind }) => kind === 'measured')) {
    const within = limit.latencyMs === undefined ? '' : ` within ${limit.latencyMs} ms at p${limit.percentile}`
    const title = `${model.name}: throughput${within}`
    const svg = drawPicture(rows, chosen, limit, title)
    writing(picture, () =>
      writeFileSync(picture, picture.endsWith('.svg') ? svg : htmlPage(title, svg, table, remarks)),
    )
  }
}

/** Throws a `CliFailure` if writing fails, for instance because the disk has become full since the search began. */
function writing(file: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === undefined ? error : new CliFailure(`${file} cannot be written (${code})`)
  }
  process.stderr.write(`wrote ${file}\n`)
}

/** The recommended config, or that there is none. An interrupted search reports what it found. */
export function conclusion(
  { chosen, interrupted }: Pick<TuneResult, 'chosen' | 'interrupted'>,
  { limit }: Pick<TuneSettings, 'limit'>,
  tuned: TunedModel,
): string {
  const until = interrupted ? ' before the interrupt' : ''
  if (!chosen) {
    const what = limit.latencyMs === undefined ? 'answers' : `holds p${limit.percentile} ≤ ${limit.latencyMs} ms`
    return `no configuration${interrupted ? ' measured' : ''}${until} ${what} without failures`
  }
  return `# the best${until}\n${configText(chosen.configuration, tuned)}`.trimEnd()
}

/** Why configurations could not be started or requests were not answered, without duplicates. */
const failuresOf = ({ rows }: TuneResult) => [...new Set(rows.flatMap(failureOf))]

function failureOf(row: Row): string[] {
  if (row.kind === 'failed') return [row.message]
  return row.best.failures > 0 ? [`requests, such as ${row.best.failureExample}`] : []
}

function jsonOf({ rows, chosen, better, warnings, interrupted }: TuneResult, { model, limit }: TuneSettings) {
  const { usableCores, smt, quotaCpus } = planCpus(readTopology(), { instances: 'auto', threads: 1 })
  return {
    model: { name: model.name, path: model.path },
    machine: { usableCores, smt, quotaCpus },
    limit,
    interrupted,
    noise: noiseOf(rows),
    warnings,
    chosen: chosen ? chosen.configuration : null,
    better: better ? better.configuration : null,
    config: chosen ? sectionsOf(chosen.configuration) : null,
    rows: ranked(rows),
  }
}
