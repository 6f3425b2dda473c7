import type { RoutingDocument } from '../../vocabulary/routing.ts'
import { listValidations, routingVersion } from '../store/validations.ts'
import type { Comparator } from './comparator.ts'

/** Of a routing; the time tells two databases apart that happen to be at the same version. */
export const versionOf = ({ version, updatedAt }: Pick<RoutingDocument, 'version' | 'updatedAt'>) =>
  `${version}-${Date.parse(updatedAt)}`

export async function readRoutingVersion({ db }: Pick<Comparator, 'db'>): Promise<string> {
  const { version, updated_at } = await routingVersion(db)
  return versionOf({ version, updatedAt: updated_at.toISOString() })
}

/** What the mirrors follow: version and states of one moment. */
export async function routingDocument({ db, validations }: Comparator): Promise<RoutingDocument> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { version, updated_at } = await routingVersion(tx)
      const states = (await listValidations(tx)).map((row) => [
        row.name,
        {
          state: row.state,
          livePercent: row.live_percent,
          reverseShadow: validations.get(row.name)?.config.rollout.reverseShadow ?? false,
        },
      ])
      return { version, updatedAt: updated_at.toISOString(), validations: Object.fromEntries(states) }
    })
}
