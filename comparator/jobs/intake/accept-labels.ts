import { Label } from '../../../vocabulary/label.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { AcceptReceipt, Rejection } from '../../../vocabulary/observation.ts'
import { sideMappings } from '../../compare/read/side-mappings.ts'
import { contributionOfLabel, type Truth } from '../../metrics/contributions/label-contribution.ts'
import { keysOf } from '../../metrics/contributions/slice-values.ts'
import { inTransaction } from '../../store/database/in-transaction.ts'
import { storableText } from '../../store/database/json.ts'
import { lockValidations } from '../../store/database/lock-validations.ts'
import type { Tx } from '../../store/database/open-database.ts'
import { bumpRevisions, windowsById } from '../../store/gate/windows.ts'
import { insertLabels, type LabelKey, labelName, labelsOf } from '../../store/observations/labels.ts'
import { setTruths, unlabelledObservations } from '../../store/observations/observations.ts'
import { addToRollups } from '../../store/rollups/rollups.ts'
import { BucketDeltas } from '../bucket-deltas.ts'
import type { Comparator } from '../comparator.ts'
import { answersOf } from './observation-row.ts'
import { itemParser } from './parse-item.ts'
import { storeBisecting } from './store-bisecting.ts'

interface ParsedLabel extends LabelKey {
  index: number
  truth: Truth
}

const readLabel = itemParser(Label, 'label')

/** Accepts labels, early or late. A correlation id keeps its first label; a different one for it is refused. */
export async function acceptLabels(comparator: Comparator, labels: readonly unknown[]): Promise<AcceptReceipt> {
  const rejected: Rejection[] = []
  const fresh = new Map<string, ParsedLabel>()
  const repeated: ParsedLabel[] = []
  for (const [index, raw] of labels.entries()) {
    const parsed = parseLabel(raw, index, comparator)
    if ('code' in parsed) rejected.push(parsed)
    else if (fresh.has(labelName(parsed))) repeated.push(parsed)
    else fresh.set(labelName(parsed), parsed)
  }
  let accepted = 0
  const refused = await storeBisecting([...fresh.values()], async (items) => {
    accepted += await recordLabels(comparator, items)
  })
  const refusedKeys = new Set(refused.map(({ item }) => labelName(item)))
  for (const { item, message } of refused) {
    rejected.push({ index: item.index, code: 'INVALID_LABEL', message: `the database refused it: ${message}` })
  }

  const parsed = [...fresh.values(), ...repeated].filter((label) => !refusedKeys.has(labelName(label)))
  const standing = await standingTruths(comparator, parsed)
  for (const label of parsed) {
    const stands = standing.get(labelName(label))
    if (stands?.json === JSON.stringify(label.truth)) continue
    const message = `correlationId ${label.correlationId} already has the label ${stands?.spelling}`
    rejected.push({ index: label.index, code: 'LABEL_CONFLICT', message })
  }
  return { accepted, duplicates: labels.length - rejected.length - accepted, rejected }
}

interface StandingTruth {
  json: string
  spelling: string
}

/** The stored labels by name, each read once however many labels are delivered for it. */
async function standingTruths({ db }: Comparator, labels: readonly LabelKey[]): Promise<Map<string, StandingTruth>> {
  const keys = new Map(labels.map((label) => [labelName(label), keyOf(label)]))
  const standing = await labelsOf(db, [...keys.values()])
  return new Map(
    standing.map((label) => {
      const truth = label.truth as Truth
      return [labelName(label), { json: JSON.stringify(truth), spelling: spellTruth(truth) }]
    }),
  )
}

const keyOf = ({ validation, correlationId }: LabelKey): LabelKey => ({ validation, correlationId })

const rowsSpeltMax = 10

/** Cut short, as a bundle may repeat a label of thousands of rows thousands of times. */
function spellTruth(truth: Truth): string {
  const of = truth.label ?? truth.value
  if (!Array.isArray(of) || of.length <= rowsSpeltMax) return JSON.stringify(of)
  return `${JSON.stringify(of.slice(0, rowsSpeltMax)).slice(0, -1)},…] (${of.length} rows)`
}

/** Returns the number of new labels. */
async function recordLabels({ db, clock }: Comparator, labels: readonly ParsedLabel[]): Promise<number> {
  return inTransaction(db, async (tx) => {
    await lockValidations(
      tx,
      labels.map(({ validation }) => validation),
    )
    const inserted = await insertLabels(tx, labels, new Date(clock.now()))
    if (inserted.length > 0) {
      await joinObservations(tx, inserted, new Map(labels.map((label) => [labelName(label), label])))
    }
    return inserted.length
  })
}

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
  if (output.kind === 'regression') return value === undefined || isOfNone(value) ? null : { value }
  if (label === undefined || isOfNone(label) || Array.isArray(label) !== sideMappings(output).rows) return null
  return { label: typeof label === 'string' ? storableText(label) : label.map((of) => of && storableText(of)) }
}

const isOfNone = (truth: unknown) => Array.isArray(truth) && truth.every((of) => of === null)

function expectedOf(output: OutputMapping): string {
  if (output.kind === 'regression') return 'regression: expected a value, a number or numbers'
  return sideMappings(output).rows
    ? 'classification of rows: expected a list of labels, one a row, null where it is not known'
    : 'classification: expected a label, a string'
}

/** Compares new labels with the answers of observations that arrived before them. */
async function joinObservations(
  tx: Tx,
  keys: readonly LabelKey[],
  labels: ReadonlyMap<string, ParsedLabel>,
): Promise<void> {
  const rows = await unlabelledObservations(tx, keys)
  if (rows.length === 0) return
  const windows = await windowsById(
    tx,
    rows.map((row) => row.window_id),
  )
  const deltas = new BucketDeltas()
  const truths = []
  for (const row of rows) {
    const { truth } = labels.get(labelName({ validation: row.validation, correlationId: row.correlation_id! }))!
    const window = windows.get(row.window_id)!
    const answers = answersOf(row)
    truths.push({ id: row.id, day: row.day, truth })
    const slices = keysOf(row.slices ?? {})
    if (answers) deltas.add(window, row.at.getTime(), contributionOfLabel(answers, truth), slices)
  }
  await setTruths(tx, truths)
  await addToRollups(tx, deltas.toArray())
  await bumpRevisions(tx, windows.keys())
}
