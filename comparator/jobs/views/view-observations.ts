import type { AnswerView } from '../../../vocabulary/api/answer.ts'
import type { ComparisonKind, ObservationOrder } from '../../../vocabulary/api/observation-query.ts'
import type {
  ObservationPage,
  ObservationView,
  OutcomeView,
  OutputView,
} from '../../../vocabulary/api/observation-view.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { uuidPattern } from '../../../vocabulary/observation.ts'
import { hourDimension, hourIn } from '../../../vocabulary/slice/slice-key.ts'
import type { TimeSpan } from '../../../vocabulary/units.ts'
import type { Answer } from '../../compare/answer.ts'
import { hourOf } from '../../metrics/contributions/slice-values.ts'
import type { ObservationRow } from '../../store/database/tables.ts'
import { windowsById } from '../../store/gate/windows.ts'
import { membersOfRareSlice } from '../../store/observations/examples.ts'
import { type Cursor, listObservations } from '../../store/observations/list-observations.ts'
import { listTypical, type TypicalQuery } from '../../store/observations/typical.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { refusedParameter } from '../errors.ts'
import { currentWindow } from '../gate/read-evidence.ts'
import type { OutcomeBrief, OutputRow } from '../intake/observation-row.ts'
import { requireSlice } from './named-slice.ts'
import { scoreMinIn, viewGiven } from './view-given.ts'

interface ObservationsQuery extends Partial<TimeSpan> {
  order: ObservationOrder
  limit: number
  cursor?: string
  /** A slice's key. */
  slice?: string
  comparison?: ComparisonKind
}

/**
 * A page of observations: the current window's worst, a uniform sample of it, or the newest of all windows. May be
 * limited to a slice, a kind of comparison and a span of time. The cursor is opaque to callers.
 */
export async function viewObservations(
  { db }: Comparator,
  validation: KnownValidation,
  query: ObservationsQuery,
): Promise<ObservationPage> {
  const { order, limit, cursor, slice = '', comparison, from, to } = query
  const named = requireSlice(validation, slice)
  const after = cursor === undefined ? undefined : parseCursor(cursor, order)
  const windowId = (await currentWindow(db, validation))?.id ?? null
  const filter = { limit: limit + 1, comparison, from, to }
  const rows =
    order === 'typical'
      ? await typicalRows(db, windowId, { ...filter, slice, after })
      : await listObservations(db, {
          ...filter,
          validation: validation.name,
          windowId,
          order,
          slice: named,
          among: await membersOf(db, validation.name, order === 'worst' ? windowId : undefined, slice),
          after,
        })
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const windows =
    page.length === 0
      ? null
      : await windowsById(
          db,
          page.map(({ window_id }) => window_id),
        )
  return {
    observations: page.map((row) => viewObservation(row, windows!.get(row.window_id)!.policy.output, row.bodies_kept)),
    nextCursor: last ? formatCursor(order, last) : null,
  }
}

/** Which observations are in the slice, if it is rare enough to be known as a whole. Slices by hour never are. */
async function membersOf(db: Comparator['db'], validation: string, windowId: number | null | undefined, slice: string) {
  return slice === '' || hourIn(slice) !== null ? null : membersOfRareSlice(db, { validation, windowId, slice })
}

type Row = ObservationRow & { bodies_kept: boolean; sample_key?: number }

async function typicalRows(
  db: Comparator['db'],
  windowId: number | null,
  { after, ...query }: Omit<TypicalQuery, 'windowId' | 'after'> & { after: Cursor | undefined },
): Promise<Row[]> {
  if (windowId === null) return []
  const place = after && { key: Number(after.key), id: after.id }
  return listTypical(db, { ...query, windowId, after: place })
}

export function viewObservation(row: ObservationRow, mapping: OutputMapping, bodiesKept: boolean): ObservationView {
  const primary = row.primary_answer as Answer | null
  const candidate = row.candidate_answer as Answer | null
  return {
    id: row.id,
    at: row.at.toISOString(),
    correlationId: row.correlation_id,
    live: row.live,
    comparison: row.comparison,
    reason: row.reason,
    disagreement: row.disagreement,
    ...(scoreMinIn(mapping) !== null &&
      row.comparison === 'compared' && { given: givenOf(mapping, primary, candidate) }),
    primary: viewOutcome(row.primary_outcome as OutcomeBrief, primary),
    candidate: viewOutcome(row.candidate_outcome as OutcomeBrief, candidate),
    truth: cutTruth(row.truth as ObservationView['truth']),
    bodiesKept,
    slices: { ...row.slices, [hourDimension]: hourOf(row.at.getTime()) },
    ...(row.outputs !== null && { outputs: viewOutputs(row.outputs as Record<string, OutputRow>) }),
  }
}

function viewOutputs(outputs: Record<string, OutputRow>): Record<string, OutputView> {
  const views = Object.entries(outputs).map(([name, { primary, candidate, ...found }]): [string, OutputView] => [
    name,
    { ...found, primary: primary && viewAnswer(primary), candidate: candidate && viewAnswer(candidate) },
  ])
  return Object.fromEntries(views)
}

const givenOf = (mapping: OutputMapping, primary: Answer | null, candidate: Answer | null) =>
  primary?.kind === 'class' && candidate?.kind === 'class'
    ? viewGiven(mapping, { primary, candidate }, elementsShownMax)
    : null

const viewOutcome = (brief: OutcomeBrief, answer: Answer | null): OutcomeView => ({
  ...brief,
  answer: answer && viewAnswer(answer),
})

function cutTruth(truth: ObservationView['truth']): ObservationView['truth'] {
  if (truth === null) return null
  const list = 'label' in truth ? truth.label : truth.value
  if (!Array.isArray(list) || list.length <= elementsShownMax) return truth
  const shown = list.slice(0, elementsShownMax)
  return { ...('label' in truth ? { label: shown } : { value: shown }), elements: list.length } as typeof truth
}

/** A page of embeddings or of a thousand classes would otherwise be megabytes. */
const scoresShownMax = 10
const elementsShownMax = 10

function viewAnswer(answer: Answer): AnswerView {
  if (answer.kind === 'value') {
    const { value } = answer
    return typeof value === 'number' || value.length <= elementsShownMax
      ? { value }
      : { value: value.slice(0, elementsShownMax), elements: value.length }
  }
  if (answer.kind === 'brief') {
    const { label, scores, rows } = answer
    return rows === undefined ? { label, scores } : { label, scores, rows }
  }
  const { label, labels, scores } = answer
  if (scores === null) return { label, scores }
  const listed = [...scores.entries()].flatMap(([i, score]) => (score === null ? [] : [{ i, score }]))
  const shown =
    listed.length > scoresShownMax ? listed.sort((a, b) => b.score - a.score).slice(0, scoresShownMax) : listed
  return { label, scores: Object.fromEntries(shown.map(({ i, score }) => [labels?.[i] ?? String(i), score])) }
}

function formatCursor(order: ObservationOrder, row: Row): string {
  const key = order === 'worst' ? row.severity : order === 'typical' ? row.sample_key : row.at.toISOString()
  return Buffer.from(JSON.stringify([order, key, row.id])).toString('base64url')
}

/** Whether it is a time in `formatCursor`'s own form, which the database is sure to accept. Throws if it is no time. */
const isTimeOfOurs = (key: string) => new Date(key).toISOString() === key && key >= '1970'

function parseCursor(cursor: string, order: ObservationOrder): Cursor {
  try {
    const [ofOrder, key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const keyFits = order === 'newest' ? isTimeOfOurs(key) : typeof key === 'number'
    if (ofOrder === order && keyFits && new RegExp(uuidPattern).test(id)) return { key, id }
  } catch {
    // refused below
  }
  throw refusedParameter('cursor', `the nextCursor of a page with order=${order}`, cursor)
}
