import type { OutputPair } from '../../../vocabulary/api/answer-pair.ts'
import type { KeepingView, KeptBody, ObservationDetail, Withheld } from '../../../vocabulary/api/observation-detail.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import type { Answer } from '../../compare/answer.ts'
import type { ObservationRow } from '../../store/database/tables.ts'
import { findWindow } from '../../store/gate/windows.ts'
import { isShownExample } from '../../store/observations/examples.ts'
import { findObservation } from '../../store/observations/observations.ts'
import type { Comparator } from '../comparator.ts'
import { failure } from '../errors.ts'
import { type KeptRequest, keptBodyBytesMax, type WithheldBody } from '../intake/keep-bodies.ts'
import type { OutputRow } from '../intake/observation-row.ts'
import { viewModels } from '../models.ts'
import { viewObservation } from './view-observations.ts'
import { pairOfAnswers, pairOfBodies, pairOfRowLabels } from './view-pair.ts'

type Bodies = NonNullable<ObservationDetail['bodies']>

/** One observation with its bodies and both answers, read by the policy of its own window, as when it was compared. */
export async function viewObservationDetail(comparator: Comparator, id: string): Promise<ObservationDetail> {
  const row = await findObservation(comparator.db, id)
  if (!row) throw failure('NOT_FOUND', `no observation ${id}; it may be older than retention.observations`)
  const window = (await findWindow(comparator.db, row.window_id))!
  const isKept = row.request !== null
  const { withheld: ofRequest, ...request } = (row.request ?? {}) as KeptRequest
  const primary = viewBody(row.primary_body)
  const candidate = viewBody(row.candidate_body)
  const bodies = isKept ? { primary: primary.body, candidate: candidate.body } : null
  return {
    ...viewObservation(row, window.policy.output, isKept),
    truth: row.truth as ObservationDetail['truth'],
    validation: row.validation,
    kind: window.policy.output.kind,
    versions: viewModels(window),
    requestBytes: row.request_bytes,
    request: isKept ? request : null,
    bodies,
    withheld: {
      ...(ofRequest && { request: ofRequest }),
      ...(primary.withheld && { primary: primary.withheld }),
      ...(candidate.withheld && { candidate: candidate.withheld }),
    },
    pairs: pairsOf(window.policy, row, bodies),
    keeping: await keepingOf(comparator, row, isKept),
  }
}

export function viewBody(stored: unknown): { body: KeptBody | null; withheld?: Withheld } {
  const kept = stored as KeptBody | WithheldBody | null
  return kept !== null && 'withheld' in kept ? { body: null, withheld: kept.withheld } : { body: kept }
}

/** The pairs of all outputs that were compared, the main one first. */
function pairsOf(policy: Policy, row: ObservationRow, bodies: Bodies | null): OutputPair[] {
  const { primary_answer: primary, candidate_answer: candidate } = row
  const main = { comparison: row.comparison, primary, candidate } as OutputRow
  const outputs = Object.entries((row.outputs ?? {}) as Record<string, OutputRow>)
  return [['', main] as const, ...outputs].flatMap(([output, { comparison, primary, candidate }]) => {
    const mapping = output === '' ? policy.output : policy.outputs?.[output]
    if (comparison !== 'compared' || mapping === undefined) return []
    const pair = pairOfAnswers(mapping, primary!, candidate!) ?? pairOfBrief(mapping, primary!, candidate!, bodies)
    return pair === null ? [] : [{ output, pair }]
  })
}

/** The pair of answers kept in brief: read from their bodies, else from the labels of their rows. */
function pairOfBrief(mapping: OutputMapping, primary: Answer, candidate: Answer, bodies: Bodies | null) {
  const read = bodies && pairOfBodies(mapping, bodies)
  return read === null || read.kind === 'unread' ? (pairOfRowLabels(mapping, primary, candidate) ?? read) : read
}

async function keepingOf(comparator: Comparator, row: ObservationRow, isKept: boolean): Promise<KeepingView> {
  const store = comparator.validations.get(row.validation)?.config.store ?? { bodies: 'none', redact: [], headers: [] }
  return {
    bodies: store.bodies,
    without: isKept ? null : await whyWithout(comparator, row, store.bodies),
    bodyBytesMax: keptBodyBytesMax,
    redact: store.redact,
    headers: store.headers,
  }
}

async function whyWithout({ db, retention, clock }: Comparator, row: ObservationRow, bodies: KeepingView['bodies']) {
  if (row.at.getTime() < clock.now() - retention.bodies) return 'expired'
  if (bodies === 'none') return 'none'
  return bodies === 'all' || (await isShownExample(db, row.id)) ? 'overBudget' : 'notExample'
}
