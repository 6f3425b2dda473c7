import type { AuditEntry } from '../../../vocabulary/api/audit.ts'
import type { Db } from '../database/open-database.ts'

const movesMax = 500
const moving = ['rollout.step', 'promotion.complete', 'promotion.rollback', 'promotion.abort'] as const

export type TrafficMove = Pick<AuditEntry, 'at' | 'actor' | 'details'> & { action: (typeof moving)[number] }

/** The audit entries that moved a validation's live traffic or made its share final, newest first. */
export async function trafficMoves(db: Db, validation: string): Promise<TrafficMove[]> {
  const rows = await db
    .selectFrom('audit')
    .select(['at', 'actor', 'details', 'action'])
    .where('validation', '=', validation)
    .where('action', 'in', moving)
    .orderBy('id', 'desc')
    .limit(movesMax)
    .execute()
  return rows.map(({ at, ...row }) => ({ ...row, action: row.action as TrafficMove['action'], at: at.toISOString() }))
}
