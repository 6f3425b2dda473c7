import { createReadStream } from 'node:fs'
import { type Answer, labelsOfRows, noLabel, withZeros } from '../../comparator/compare/answer.ts'
import { compareReadings } from '../../comparator/compare/compare-readings.ts'
import { disagreementOf } from '../../comparator/compare/disagreement.ts'
import { isGiven } from '../../comparator/compare/given-labels.ts'
import { mostOf } from '../../comparator/compare/most-of.ts'
import { decodedBytesMax } from '../../comparator/compare/read/decode-body.ts'
import { type Problem, spellProblem } from '../../comparator/compare/read/mapping-problem.ts'
import { answerOf, type Reading, readAnswer } from '../../comparator/compare/read/read-answer.ts'
import { comparatorSchema } from '../../comparator/config.ts'
import { loadSection } from '../../runtime/config/load-config.ts'
import { type Leg, legs } from '../../vocabulary/leg.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { scoreMinOf } from '../../vocabulary/mapping/score-min.ts'
import { CliFailure, exitCodes } from '../failure.ts'
import { printJson } from '../print-json.ts'
import { printableLine } from '../printable.ts'

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
const shownBytesMax = 300

/** The default of `capture.bodyMax`. */
const capturedBytesMax = 1024 * 1024

/** Applies a validation's mappings to response bodies in files; exit status 1 if one finds no answer. */
export async function tryConfig(file: string, name: string, { json, ...paths }: TryOptions): Promise<void> {
  const { validations } = loadSection(file, 'comparator', comparatorSchema)
  const validation = validations.find((one) => one.name === name)
  if (validation === undefined) {
    const known = validations.map((one) => one.name).join(', ')
    throw new CliFailure(`${file} has no validation ${name}; it has ${known || 'none'}`)
  }
  if (legs.every((leg) => paths[leg] === '-')) {
    throw new CliFailure('standard input holds one body; expected a file for the other')
  }
  const bodies: [Leg, string][] = []
  for (const leg of legs) if (paths[leg] !== undefined) bodies.push([leg, await bodyIn(paths[leg])])
  if (bodies.length === 0) {
    throw new CliFailure('expected --primary FILE, --candidate FILE or both: response bodies')
  }
  const mappings = Object.entries({ '': validation.output, ...validation.outputs })
  const tried = mappings.map(([output, mapping]): [string, Tried] => [output, tryMapping(mapping, bodies)])
  const lines = tried.flatMap(([output, found], i) => [
    output === '' ? name : `${name}, outputs.${output}`,
    ...spell(mappings[i]![1], found).map(printableLine),
  ])
  if (json) printJson(Object.fromEntries(tried))
  else process.stdout.write(`${lines.join('\n')}\n`)
  for (const [leg, body] of bodies) {
    if (tried.some(([, found]) => found[leg] === undefined)) process.stderr.write(`${paths[leg]} ${beginning(body)}\n`)
  }
  process.exitCode = tried.every(([, { problem }]) => problem === undefined) ? exitCodes.ok : exitCodes.fail
}

async function bodyIn(path: string): Promise<string> {
  const bytes = await bytesIn(path)
  if (bytes.length > capturedBytesMax) {
    process.stderr.write(
      `${path} has ${bytes.length} bytes: mirrors compare no more than capture.bodyMax, 1MiB by default\n`,
    )
  }
  if (compressed.some((magic) => bytes.subarray(0, magic.length).equals(magic))) {
    process.stderr.write(`${path} looks compressed: curl --compressed saves what it holds\n`)
  }
  return bytes.toString('base64')
}

/** Of a body in which no answer was found: it may be an error's message. */
function beginning(base64: string): string {
  const body = Buffer.from(base64, 'base64')
  return body.length === 0 ? 'is empty' : `begins: ${printableLine(body.toString('utf8', 0, shownBytesMax))}`
}

/** Magic numbers of gzip and zstd. */
const compressed = ['1f8b', '28b52ffd'].map((magic) => Buffer.from(magic, 'hex'))

/** Reads in pieces: a file may be larger than memory, or endless. */
async function bytesIn(path: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of path === '-' ? process.stdin : createReadStream(path)) {
      size += piece.length
      if (size > decodedBytesMax) break
      pieces.push(piece)
    }
  } catch (error) {
    throw new CliFailure(`${path} could not be read: ${(error as Error).message}`)
  }
  if (size <= decodedBytesMax) return Buffer.concat(pieces)
  throw new CliFailure(`expected a response body of at most ${decodedBytesMax} bytes, ${path} has more`)
}

function tryMapping(mapping: OutputMapping, bodies: [Leg, string][]): Tried {
  const tried: Tried = {}
  const readings: Partial<Record<Leg, Reading>> = {}
  const problems: string[] = []
  const fail = (leg: Leg, problem: Problem) => problems.push(spellProblem({ ...problem, leg }))
  for (const [leg, body] of bodies) {
    const outcome = { kind: 'answered', status: 200, headers: {}, body, bodyEncoding: 'base64', totalMs: 0 } as const
    const reading = readAnswer(mapping, leg, outcome)
    if (reading.kind === 'problem') {
      fail(leg, reading)
      continue
    }
    readings[leg] = reading
    tried[leg] = answerOf(reading)
  }
  const { primary, candidate } = readings
  if (primary && candidate) {
    const pair = compareReadings(mapping, primary, candidate)
    if (pair.kind === 'problem') fail('candidate', pair)
    else tried.disagreement = disagreementOf(mapping, pair)
  }
  return problems.length === 0 ? tried : { ...tried, problem: problems.join('; ') }
}

function spell(mapping: OutputMapping, { primary, candidate, disagreement, problem }: Tried): string[] {
  const scoreMin = mapping.kind === 'classification' ? scoreMinOf(mapping) : null
  return [
    ...(primary ? [`  primary    ${spellAnswer(primary, scoreMin?.primary)}`] : []),
    ...(candidate ? [`  candidate  ${spellAnswer(candidate, scoreMin?.candidate)}`] : []),
    ...(disagreement === undefined ? [] : [`  disagreement ${Number(disagreement.toPrecision(4))} (0: alike)`]),
    ...(problem === undefined ? [] : [`  no answer: ${problem}`]),
  ]
}

function spellAnswer(answer: Answer, scoreMin?: number): string {
  if (answer.kind === 'value') return firstOf([answer.value].flat().map(String))
  if (answer.kind === 'brief') {
    return answer.rowLabels ? `${answer.label}, in order ${firstOf(labelsOfRows(answer.rowLabels))}` : answer.label
  }
  const { label, scores, labels } = answer
  if (scores === null) return label
  const best = mostOf(withZeros(scores), scores.length).map(
    (i) => `${labels![i]} ${Number((scores[i] ?? 0).toPrecision(4))}`,
  )
  const given = scoreMin === undefined ? [label] : labels!.filter((_, i) => isGiven(scores[i]!, scoreMin))
  return `${firstOf(given) || noLabel}${best.length > 0 ? `, of ${firstOf(best)}` : ''}`
}

function firstOf(items: string[]): string {
  const more = items.length - shownMax
  return `${items.slice(0, shownMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
