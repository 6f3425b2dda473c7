import type { TimelineEvent } from '../../../vocabulary/api/timeline.ts'
import { modelChanges } from '../../promotion/subject.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { listWindows } from '../../store/gate/windows.ts'
import { type TrafficMove, trafficMoves } from '../../store/promotion/moved-traffic.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { subjectOf } from '../models.ts'
import { whyBegan } from './view-windows.ts'

/** The events of a validation that its charts mark, oldest first. */
export async function viewTimeline({ db }: Comparator, { name }: KnownValidation): Promise<TimelineEvent[]> {
  const windows = await listWindows(db, name)
  const changes = windows.slice(0, -1).map((row, i) => changeOf(windows[i + 1]!, row))
  const moves = (await trafficMoves(db, name)).map(moveOf)
  return [...changes, ...moves].sort((a, b) => (a.at < b.at ? -1 : 1))
}

function changeOf(before: WindowRow, row: WindowRow): TimelineEvent {
  const versions = [
    row.primary_version !== before.primary_version && `primary ${row.primary_version || 'unknown'}`,
    row.candidate_version !== before.candidate_version && `candidate ${row.candidate_version || 'unknown'}`,
  ].filter((change) => change !== false)
  const isPolicy = versions.length === 0 && row.policy_digest !== before.policy_digest
  const otherwise = modelChanges(subjectOf(before), subjectOf(row)).length > 0 ? 'model file' : 'window'
  return {
    at: row.began_at.toISOString(),
    kind: isPolicy ? 'policy' : 'version',
    label: versions.join(', ') || (isPolicy ? 'policy' : otherwise),
    text: `A new window began: ${whyBegan(before, row)}`,
  }
}

function moveOf({ at, actor, action, details }: TrafficMove): TimelineEvent {
  const percent = typeof details.livePercent === 'number' ? details.livePercent : 0
  const said = typeof details.comment === 'string' && details.comment !== '' ? `: ${details.comment}` : ''
  const words: Record<TrafficMove['action'], [label: string, text: string]> = {
    'rollout.step': [`${percent} %`, `${percent} % of live traffic moved to the candidate`],
    'promotion.complete': ['promoted', `Promoted: ${percent} % of live traffic stays on the candidate`],
    'promotion.rollback': ['rolled back', `Rolled back by ${actor}${said}`],
    'promotion.abort': ['aborted', `Aborted by ${actor}${said}`],
  }
  const [label, text] = words[action]
  return { at, kind: 'rollout', label, text }
}
