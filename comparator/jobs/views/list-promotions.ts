import type { AuditEntry } from '../../../vocabulary/api/audit.ts'
import type { PromotionRecord } from '../../../vocabulary/api/promotion-record.ts'
import { auditOfPromotions } from '../../store/audit/audit.ts'
import { evaluationsById } from '../../store/gate/gate-evaluations.ts'
import { approvalsOf, listPromotions } from '../../store/promotion/promotions.ts'
import { listValidations } from '../../store/promotion/validations.ts'
import type { Comparator } from '../comparator.ts'
import { viewPromotion } from './view-validation.ts'

const endings: Record<string, NonNullable<PromotionRecord['end']>['action']> = {
  'promotion.reject': 'reject',
  'promotion.abort': 'abort',
  'promotion.rollback': 'rollback',
  'promotion.complete': 'complete',
}

/** Promotions with their course, newest first; with `live`, only those that have live traffic now. */
export async function viewPromotionRecords(
  comparator: Comparator,
  query: { validation?: string | undefined; live: boolean; limit: number },
): Promise<PromotionRecord[]> {
  const { db } = comparator
  const rows = await listPromotions(db, query)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const entries = await auditOfPromotions(db, ids)
  const approvals = Map.groupBy(await approvalsOf(db, ids), ({ promotion_id }) => promotion_id)
  const validations = new Map((await listValidations(db)).map((validation) => [validation.name, validation]))
  const evaluations = await evaluationsById(
    db,
    rows.map((row) => row.gate_id),
  )
  const records: PromotionRecord[] = []
  for (const row of rows) {
    const { verdict, reason, checks, at } = evaluations.get(row.gate_id)!
    const own = entries.filter(({ details }) => details.promotion === row.id)
    records.push({
      ...(await viewPromotion(comparator, row, {
        approvals: approvals.get(row.id) ?? [],
        livePercent: validations.get(row.validation)!.live_percent,
      })),
      signed: { verdict, reason, decides: checks.find(({ decides }) => decides) ?? null, at: at.toISOString() },
      ...courseOf(own),
    })
  }
  return records
}

/** The steps and the end of one promotion, from its audit entries, oldest first. */
function courseOf(entries: readonly AuditEntry[]): Pick<PromotionRecord, 'steps' | 'end'> {
  const steps = entries
    .filter(({ action }) => action === 'rollout.step')
    .map(({ at, details }) => ({ at, livePercent: Number(details.livePercent) }))
  const last = entries.findLast(({ action }) => endings[action])
  if (!last) return { steps, end: null }
  const comment = typeof last.details.comment === 'string' ? last.details.comment : ''
  return { steps, end: { at: last.at, by: last.actor, action: endings[last.action]!, comment } }
}
