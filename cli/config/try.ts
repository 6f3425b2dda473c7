import { readFileSync } from 'node:fs'
import { type Answer, labelsOfRows, withZeros } from '../../comparator/compare/answer.ts'
import { compareReadings } from '../../comparator/compare/compare-readings.ts'
import { disagreementOf } from '../../comparator/compare/disagreement.ts'
import { type Problem, spellProblem } from '../../comparator/compare/mapping-problem.ts'
import { mostOf } from '../../comparator/compare/most-of.ts'
import { answerOf, type Reading, readAnswer } from '../../comparator/compare/read-answer.ts'
import { comparatorSchema } from '../../comparator/config.ts'
import { loadSection } from '../../runtime/config/load-config.ts'
import { type Leg, legs } from '../../vocabulary/leg.ts'
import type { OutputMapping } from '../../vocabulary/output-mapping.ts'
import { CliFailure, exitCodes } from '../failure.ts'

export interface TryOptions {
  primary?: string
  candidate?: string
  json?: true
}

interface Tried {
  primary?: Answer
  candidate?: Answer
  disagreement?: number
  problem?: string
}

const shownMax = 5

/** What a validation's mappings make of response bodies that lie in files; exit status 1 where they find no answer. */
export function tryConfig(file: string, name: string, { json, ...paths }: TryOptions): void {
  const { validations } = loadSection(file, 'comparator', comparatorSchema)
  const validation = validations.find((one) => one.name === name)
  if (validation === undefined) {
    const known = validations.map((one) => one.name).join(', ')
    throw new CliFailure(`${file} has no validation ${name}; it has ${known || 'none'}`, exitCodes.usage)
  }
  const bodies = legs.flatMap((leg): [Leg, string][] => (paths[leg] === undefined ? [] : [[leg, bodyIn(paths[leg])]]))
  if (bodies.length === 0) {
    throw new CliFailure('expected --primary FILE, --candidate FILE or both: response bodies', exitCodes.usage)
  }
  const mappings = Object.entries({ '': validation.output, ...validation.outputs })
  const tried = mappings.map(([output, mapping]): [string, Tried] => [output, tryMapping(mapping, bodies)])
  const lines = tried.flatMap(([output, found]) => [
    output === '' ? name : `${name}, outputs.${output}`,
    ...spell(found),
  ])
  process.stdout.write(json ? `${JSON.stringify(Object.fromEntries(tried))}\n` : `${lines.join('\n')}\n`)
  process.exitCode = tried.every(([, { problem }]) => problem === undefined) ? exitCodes.ok : exitCodes.fail
}

function bodyIn(path: string): string {
  try {
    return readFileSync(path).toString('base64')
  } catch (error) {
    throw new CliFailure(`${path} could not be read: ${(error as Error).message}`, exitCodes.usage)
  }
}

function tryMapping(mapping: OutputMapping, bodies: [Leg, string][]): Tried {
  const tried: Tried = {}
  const readings: Partial<Record<Leg, Reading>> = {}
  const failed = (leg: Leg, problem: Problem) => ({ ...tried, problem: spellProblem({ ...problem, leg }) })
  for (const [leg, body] of bodies) {
    const outcome = { kind: 'answered', status: 200, headers: {}, body, bodyEncoding: 'base64', totalMs: 0 } as const
    const reading = readAnswer(mapping, leg, outcome)
    if (reading.kind === 'problem') return failed(leg, reading)
    readings[leg] = reading
    tried[leg] = answerOf(reading)
  }
  const { primary, candidate } = readings
  if (!primary || !candidate) return tried
  const pair = compareReadings(mapping, primary, candidate)
  return pair.kind === 'problem' ? failed('candidate', pair) : { ...tried, disagreement: disagreementOf(mapping, pair) }
}

function spell({ primary, candidate, disagreement, problem }: Tried): string[] {
  return [
    ...(primary ? [`  primary    ${spellAnswer(primary)}`] : []),
    ...(candidate ? [`  candidate  ${spellAnswer(candidate)}`] : []),
    ...(disagreement === undefined ? [] : [`  disagreement ${Number(disagreement.toPrecision(4))} (0: alike)`]),
    ...(problem === undefined ? [] : [`  no answer: ${problem}`]),
  ]
}

function spellAnswer(answer: Answer): string {
  if (answer.kind === 'value') return firstOf([answer.value].flat().map(String))
  if (answer.kind === 'brief') {
    return answer.rowLabels ? `${answer.label}, in order ${firstOf(labelsOfRows(answer.rowLabels))}` : answer.label
  }
  const { label, scores, labels } = answer
  if (scores === null) return label
  const best = mostOf(withZeros(scores), scores.length).map(
    (i) => `${labels![i]} ${Number((scores[i] ?? 0).toPrecision(4))}`,
  )
  return `${label}, of ${firstOf(best)}`
}

function firstOf(items: string[]): string {
  const more = items.length - shownMax
  return `${items.slice(0, shownMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
