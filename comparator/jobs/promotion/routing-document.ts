import type { RoutingDocument } from '../../../vocabulary/routing.ts'
import { listValidations, routingVersion } from '../../store/promotion/validations.ts'
import type { Comparator } from '../comparator.ts'

/**
 * The version of a routing document. Every change of the routing in the database increments it. The time tells apart
 * two databases that happen to have the same number.
 */
export const versionOf = ({ version, updatedAt }: Pick<RoutingDocument, 'version' | 'updatedAt'>) =>
  `${version}-${Date.parse(updatedAt)}`

export async function readRoutingVersion({ db }: Pick<Comparator, 'db'>): Promise<string> {
  const { version, updated_at } = await routingVersion(db)
  return versionOf({ version, updatedAt: updated_at.toISOString() })
}

/** What the mirrors follow; version and states come from one snapshot. */
export async function routingDocument({ db }: Pick<Comparator, 'db'>): Promise<RoutingDocument> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { version, updated_at } = await routingVersion(tx)
      const states = (await listValidations(tx)).map((row) => [
        row.name,
        { state: row.state, livePercent: row.live_percent, reverseShadow: row.reverse_shadow },
      ])
      return { version, updatedAt: updated_at.toISOString(), validations: Object.fromEntries(states) }
    })
}
