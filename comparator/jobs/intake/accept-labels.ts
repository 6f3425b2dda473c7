import { Label } from '../../../vocabulary/label.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { AcceptReceipt, Rejection } from '../../../vocabulary/observation.ts'
import { isUsableNumber, magnitudeMax } from '../../compare/answer.ts'
import { sideMappings } from '../../compare/read/side-mappings.ts'
import { contributionOfLabel, rowsOf, type Truth } from '../../metrics/contributions/label-contribution.ts'
import { keysOf } from '../../metrics/contributions/slice-values.ts'
import { inTransaction } from '../../store/database/in-transaction.ts'
import { storableText } from '../../store/database/json.ts'
import { lockValidations } from '../../store/database/lock-validations.ts'
import type { Tx } from '../../store/database/open-database.ts'
import type { ObservationRow } from '../../store/database/tables.ts'
import { bumpRevisions, windowsById } from '../../store/gate/windows.ts'
import { type LabelKey, labelName, labelsOf, saveLabels } from '../../store/observations/labels.ts'
import { labelledMax, observationsLabelledBy, setTruths } from '../../store/observations/observations.ts'
import { addToRollups } from '../../store/rollups/rollups.ts'
import { BucketDeltas } from '../bucket-deltas.ts'
import type { Comparator } from '../comparator.ts'
import { fillTruth, spellRows, spellTruth } from './fill-truth.ts'
import { answersOf } from './observation-row.ts'
import { itemParser } from './parse-item.ts'
import { storeBisecting } from './store-bisecting.ts'

interface ParsedLabel extends LabelKey {
  index: number
  truth: Truth
}

const readLabel = itemParser(Label, 'label')

/**
 * Accepts labels, early or late. What was said first of a correlation id, or of one of its rows, stands: a label that
 * contradicts it is refused whole, one that adds rows fills them. A label with another number of rows than the answer
 * is refused; if it came before the answer, one that fits replaces it.
 */
export async function acceptLabels(comparator: Comparator, labels: readonly unknown[]): Promise<AcceptReceipt> {
  const rejected: Rejection[] = []
  const byName = new Map<string, ParsedLabel[]>()
  for (const [index, raw] of labels.entries()) {
    const parsed = parseLabel(raw, index, comparator)
    if ('code' in parsed) rejected.push(parsed)
    else byName.getOrInsertComputed(labelName(parsed), () => []).push(parsed)
  }
  let accepted = 0
  const refused = await storeBisecting([...byName.values()], async (groups) => {
    const recorded = await recordLabels(comparator, groups)
    accepted += recorded.accepted
    rejected.push(...recorded.refused)
  })
  for (const { item: group, message } of refused) {
    for (const { index } of group) {
      rejected.push({ index, code: 'INVALID_LABEL', message: `the database refused it: ${message}` })
    }
  }
  return { accepted, duplicates: labels.length - rejected.length - accepted, rejected }
}

interface RecordedLabels {
  /** The number of labels that said something new. */
  accepted: number
  refused: Rejection[]
}

/** Stores labels, grouped by correlation id. */
async function recordLabels({ db, clock }: Comparator, groups: readonly ParsedLabel[][]): Promise<RecordedLabels> {
  const keys = groups.map(([label]) => keyOf(label!))
  return inTransaction(db, async (tx) => {
    await lockValidations(
      tx,
      keys.map(({ validation }) => validation),
    )
    const standing = (await labelsOf(tx, keys)) as Map<string, Truth>
    const observed = Map.groupBy(await observationsLabelledBy(tx, keys), nameOfRow)
    const recorded: RecordedLabels = { accepted: 0, refused: [] }
    const changed = groups.flatMap((group, i) => {
      const name = labelName(keys[i]!)
      const own = observed.get(name) ?? []
      const known = { truth: standing.get(name), rows: rowsAnswered(own), observations: own.length }
      const truth = truthAfter(known, group, recorded)
      return truth === undefined || truth === known.truth ? [] : [{ ...keys[i]!, truth }]
    })
    if (changed.length > 0) {
      await saveLabels(tx, changed, new Date(clock.now()))
      await joinObservations(tx, changed, observed)
    }
    return recorded
  })
}

const keyOf = ({ validation, correlationId }: LabelKey): LabelKey => ({ validation, correlationId })

const nameOfRow = ({ validation, correlation_id }: ObservationRow) =>
  labelName({ validation, correlationId: correlation_id! })

/** The numbers of rows, or values, that these observations' answers have: mostly one number, or none if none is compared. */
function rowsAnswered(observations: readonly ObservationRow[]): Set<number> {
  return new Set(observations.map((row) => rowsOf(answersOf(row)?.primary)).filter((rows) => rows !== null))
}

/** What is known of a correlation id: `rows` as its answers have them, and how many observations it has. */
interface Known {
  truth: Truth | undefined
  rows: ReadonlySet<number>
  observations: number
}

/** The truth of a correlation id after these labels in their order. Records which were accepted and which refused. */
function truthAfter(
  { truth: before, rows, observations }: Known,
  labels: readonly ParsedLabel[],
  into: RecordedLabels,
) {
  const fits = (truth: Truth) => rows.size === 0 || rows.has(lengthOf(truth))
  let known = before
  for (const { index, correlationId, truth } of labels) {
    const refuse = (code: string, why: string) =>
      into.refused.push({ index, code, message: `correlationId ${correlationId} ${why}` })
    if (observations > labelledMax) {
      refuse('INVALID_LABEL', `has more than ${labelledMax} observations: expected the id of one request`)
      continue
    }
    if (!fits(truth)) {
      refuse('INVALID_LABEL', `has ${[...rows].map(spellRows).join(' or ')} in its answer, got ${spellTruth(truth)}`)
      continue
    }
    const filled = known === undefined || !fits(known) ? truth : fillTruth(known, truth)
    if (typeof filled === 'string') {
      refuse('LABEL_CONFLICT', filled)
      continue
    }
    if (filled !== known) into.accepted += 1
    known = filled
  }
  return known
}

const lengthOf = ({ label, value }: Truth) => [label ?? value].flat().length

function parseLabel(raw: unknown, index: number, { validations }: Comparator): ParsedLabel | Rejection {
  const refuse = (code: string, message: string): Rejection => ({ index, code, message })
  const parsed = readLabel(raw)
  if ('problem' in parsed) return refuse('INVALID_LABEL', parsed.problem)
  const { validation, correlationId, label, value } = parsed.item
  const known = validations.get(validation)
  if (!known) return refuse('UNKNOWN_VALIDATION', `no validation ${validation}`)
  if (Object.hasOwn(parsed.item, 'output')) {
    return refuse('INVALID_LABEL', `output: labels are for the main output of ${validation} alone`)
  }
  const { output } = known.policy
  if (output.kind !== 'classification' && output.kind !== 'regression') {
    return refuse(
      'INVALID_LABEL',
      `${validation} is of kind ${output.kind}: labels are for classification and regression`,
    )
  }
  const truth = truthOf(output, label, value)
  if (truth === null) return refuse('INVALID_LABEL', `${validation} is a ${expectedOf(output)}`)
  return { index, validation, correlationId: storableText(correlationId), truth }
}

/** `null` if it cannot be the truth of such an output, or is not known for any row. */
function truthOf(output: OutputMapping, label: Truth['label'], value: Truth['value']): Truth | null {
  if (output.kind === 'regression') {
    const isUsable = value !== undefined && [value].flat().every((of) => of === null || isUsableNumber(of))
    return !isUsable || isOfNone(value) ? null : { value }
  }
  if (label === undefined || isOfNone(label) || Array.isArray(label) !== sideMappings(output).rows) return null
  return { label: typeof label === 'string' ? storableText(label) : label.map((of) => of && storableText(of)) }
}

const isOfNone = (truth: unknown) => Array.isArray(truth) && truth.every((of) => of === null)

function expectedOf(output: OutputMapping): string {
  if (output.kind === 'regression') return `regression: expected a value, a number or numbers, up to ${magnitudeMax}`
  return sideMappings(output).rows
    ? 'classification of rows: expected a list of labels, one a row, null where it is not known'
    : 'classification: expected a label, a string'
}

/** Compares labels with the answers of observations that arrived before them, in place of what they said before. */
async function joinObservations(
  tx: Tx,
  labels: readonly (LabelKey & { truth: Truth })[],
  observed: ReadonlyMap<string, ObservationRow[]>,
): Promise<void> {
  const joined = labels.flatMap((label) => (observed.get(labelName(label)) ?? []).map((row) => ({ row, ...label })))
  if (joined.length === 0) return
  const windows = await windowsById(
    tx,
    joined.map(({ row }) => row.window_id),
  )
  const deltas = new BucketDeltas()
  for (const { row, truth } of joined) {
    const answers = answersOf(row)
    if (!answers) continue
    const replaces = row.truth === null ? undefined : contributionOfLabel(answers, row.truth as Truth)
    const contribution = { ...contributionOfLabel(answers, truth), replaces }
    deltas.add(windows.get(row.window_id)!, row.at.getTime(), contribution, keysOf(row.slices ?? {}))
  }
  await setTruths(
    tx,
    joined.map(({ row: { id, day }, truth }) => ({ id, day, truth })),
  )
  await addToRollups(tx, deltas.toArray())
  await bumpRevisions(tx, windows.keys())
}
