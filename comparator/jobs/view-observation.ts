import type { OutputPair } from '../../vocabulary/answer-pair.ts'
import type { KeepingView, KeptBody, ObservationDetail } from '../../vocabulary/api.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { isShownExample } from '../store/examples.ts'
import { findObservation } from '../store/observations.ts'
import type { ObservationRow } from '../store/tables.ts'
import { windowsById } from '../store/windows.ts'
import type { Comparator } from './comparator.ts'
import { failure } from './errors.ts'
import { keptBodyBytesMax } from './keep-bodies.ts'
import type { OutputRow } from './observation-row.ts'
import { viewObservation } from './view-observations.ts'
import { pairOfAnswers, pairOfBodies } from './view-pair.ts'

type Bodies = NonNullable<ObservationDetail['bodies']>

/** One observation with its bodies, and both answers as they were compared, under the policy of its own window. */
export async function viewObservationDetail(comparator: Comparator, id: string): Promise<ObservationDetail> {
  const row = await findObservation(comparator.db, id)
  if (!row) throw failure('NOT_FOUND', `no observation ${id}; it may be older than retention.observations`)
  const window = (await windowsById(comparator.db, [row.window_id])).get(row.window_id)!
  const isKept = row.request !== null
  const bodies = isKept
    ? { primary: row.primary_body as KeptBody | null, candidate: row.candidate_body as KeptBody | null }
    : null
  return {
    ...viewObservation(row, isKept),
    validation: row.validation,
    kind: window.policy.output.kind,
    versions: {
      primary: window.primary_version || null,
      candidate: window.candidate_version || null,
      candidateDigest: window.candidate_digest || null,
    },
    requestBytes: Number(row.request_bytes),
    request: row.request as Observation['request'] | null,
    bodies,
    pairs: pairsOf(window.policy, row, bodies),
    keeping: await keepingOf(comparator, row, isKept),
  }
}

/** Of every output whose two answers were compared, the main one first. */
function pairsOf(policy: Policy, row: ObservationRow, bodies: Bodies | null): OutputPair[] {
  const { primary_answer: primary, candidate_answer: candidate } = row
  const main = { comparison: row.comparison, primary, candidate } as OutputRow
  const outputs = Object.entries((row.outputs ?? {}) as Record<string, OutputRow>)
  return [['', main] as const, ...outputs].flatMap(([output, { comparison, primary, candidate }]) => {
    const mapping = output === '' ? policy.output : policy.outputs?.[output]
    if (comparison !== 'compared' || mapping === undefined) return []
    const pair = pairOfAnswers(mapping, primary!, candidate!) ?? (bodies && pairOfBodies(mapping, bodies))
    return pair === null ? [] : [{ output, pair }]
  })
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
