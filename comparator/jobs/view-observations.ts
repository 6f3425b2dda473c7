import type {
  AnswerView,
  KeptBody,
  ObservationDetail,
  ObservationPage,
  ObservationView,
  OutcomeView,
} from '../../vocabulary/api.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Answer } from '../compare/answer.ts'
import { type Cursor, findObservation, listObservations } from '../store/observations.ts'
import type { ObservationRow } from '../store/tables.ts'
import type { Comparator, KnownValidation } from './comparator.ts'
import { failure } from './errors.ts'
import type { OutcomeBrief } from './observation-row.ts'
import { currentWindow } from './read-evidence.ts'

type Order = 'worst' | 'newest'

/** A page of observations: the current window's worst, or the newest of all. The cursor is opaque to callers. */
export async function viewObservations(
  { db }: Comparator,
  validation: KnownValidation,
  query: { order: Order; limit: number; cursor?: string },
): Promise<ObservationPage> {
  const { order, limit, cursor } = query
  const window = await currentWindow(db, validation)
  const rows = await listObservations(db, {
    validation: validation.name,
    windowId: window?.id ?? null,
    order,
    limit: limit + 1,
    ...(cursor !== undefined && { after: parseCursor(cursor, order) }),
  })
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    observations: page.map((row) => viewObservation(row, row.bodies_kept)),
    nextCursor: last ? formatCursor(order, last) : null,
  }
}

export async function viewObservationDetail({ db }: Comparator, id: string): Promise<ObservationDetail> {
  const row = await findObservation(db, id)
  if (!row) throw failure('NOT_FOUND', `no observation ${id}; it may be older than retention.observations`)
  const kept = row.request !== null
  return {
    ...viewObservation(row, kept),
    validation: row.validation,
    request: row.request as Observation['request'] | null,
    bodies: kept
      ? { primary: row.primary_body as KeptBody | null, candidate: row.candidate_body as KeptBody | null }
      : null,
  }
}

function viewObservation(row: ObservationRow, bodiesKept: boolean): ObservationView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    correlationId: row.correlation_id,
    live: row.live,
    comparison: row.comparison,
    reason: row.reason,
    disagreement: row.disagreement,
    primary: viewOutcome(row.primary_outcome as OutcomeBrief, row.primary_answer as Answer | null),
    candidate: viewOutcome(row.candidate_outcome as OutcomeBrief, row.candidate_answer as Answer | null),
    truth: row.truth as ObservationView['truth'],
    bodiesKept,
  }
}

const viewOutcome = (brief: OutcomeBrief, answer: Answer | null): OutcomeView => ({
  ...brief,
  answer: answer && viewAnswer(answer),
})

function viewAnswer(answer: Answer): AnswerView {
  if (answer.kind === 'value') return { value: answer.value }
  const { label, labels, scores } = answer
  return { label, scores: scores && Object.fromEntries(scores.map((score, i) => [labels?.[i] ?? String(i), score])) }
}

function formatCursor(order: Order, row: ObservationRow): string {
  const key = order === 'worst' ? row.severity : row.at.toISOString()
  return Buffer.from(JSON.stringify([order, key, row.id])).toString('base64url')
}

function parseCursor(cursor: string, order: Order): Cursor {
  try {
    const [ofOrder, key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const keyFits = order === 'worst' ? typeof key === 'number' : !Number.isNaN(Date.parse(key))
    if (ofOrder === order && keyFits && /^[0-9a-f-]{36}$/.test(id)) return { key, id }
  } catch {
    // told apart below
  }
  throw failure('BAD_REQUEST', `cursor: expected the nextCursor of a page with order=${order}`)
}
