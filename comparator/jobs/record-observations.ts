import type { Observation } from '../../vocabulary/observation.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import type { Comparison } from '../compare/compare-observation.ts'
import { contributionOf, contributionOfLabel } from '../metrics/contribution.ts'
import { insertBodies } from '../store/bodies.ts'
import { storableText } from '../store/json.ts'
import { labelsOf } from '../store/labels.ts'
import { lockValidations } from '../store/lock-validations.ts'
import { insertObservations, knownIds } from '../store/observations.ts'
import type { Db, Tx } from '../store/open-database.ts'
import { addToRollups } from '../store/rollups.ts'
import { EvidenceWindows } from './attribute-evidence.ts'
import { BucketDeltas } from './bucket-deltas.ts'
import { bodiesToKeep } from './keep-bodies.ts'
import { answersOf, observationRow } from './observation-row.ts'
import type { ParsedObservation } from './parse-observation.ts'

export type FreshObservation = ParsedObservation & { comparison: Comparison }

/**
 * Stores observations with all that follows from them in one transaction, under their validations' locks. Returns the
 * ids that were new: they alone are counted. Bodies from before `bodiesFrom` are not kept.
 */
export async function recordObservations(
  db: Db,
  items: readonly FreshObservation[],
  bodiesFrom: EpochMs,
): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    await lockValidations(
      tx,
      items.map(({ validation }) => validation.name),
    )
    const known = await knownIds(
      tx,
      items.map(({ observation }) => observation.id),
    )
    const fresh = items.filter(({ observation }) => !known.has(observation.id)).sort((a, b) => a.at - b.at)
    return fresh.length === 0 ? [] : record(tx, fresh, bodiesFrom)
  })
}

async function record(tx: Tx, fresh: readonly FreshObservation[], bodiesFrom: EpochMs): Promise<string[]> {
  const windows = await EvidenceWindows.load(tx, [...new Set(fresh.map(({ validation }) => validation))])
  const truths = await truthsOf(tx, fresh)
  const attributed = []
  for (const item of fresh) {
    const window = await windows.attribute(item.validation, item.observation, item.at)
    const truth = truths.get(labelKey(item.observation)) ?? null
    attributed.push({ ...item, window, truth, row: observationRow(item, window.id, truth) })
  }
  const inserted = await insertObservations(
    tx,
    attributed.map(({ row }) => row),
  )
  // an id that came under another validation's lock is not ours to count
  const counted = attributed.filter(({ row }) => inserted.has(row.id))
  const deltas = new BucketDeltas()
  for (const { validation, observation, at, comparison, window, truth, row } of counted) {
    windows.count(window, observation, at)
    deltas.add(window, at, contributionOf(validation.policy, observation, comparison))
    const answers = answersOf(row)
    if (truth !== null && answers) {
      deltas.add(window, at, contributionOfLabel(validation.policy, answers, truth))
    }
  }
  await windows.save()
  const recent = counted.filter(({ at }) => at >= bodiesFrom)
  await insertBodies(tx, await bodiesToKeep(tx, recent))
  await addToRollups(tx, deltas.toArray())
  return [...inserted]
}

type Truth = Parameters<typeof contributionOfLabel>[2]
const labelKey = (of: { validation: string; correlationId?: string | undefined }) =>
  JSON.stringify([of.validation, storableText(of.correlationId ?? '')])

/** Labels that came before their observation. */
async function truthsOf(tx: Tx, fresh: readonly { observation: Observation }[]): Promise<Map<string, Truth>> {
  const keys = fresh
    .filter(({ observation }) => observation.correlationId !== undefined)
    .map(({ observation }) => ({
      validation: observation.validation,
      correlationId: storableText(observation.correlationId!),
    }))
  const labels = await labelsOf(tx, keys)
  return new Map(
    labels.map((row) => [
      labelKey({ validation: row.validation, correlationId: row.correlation_id }),
      row.truth as Truth,
    ]),
  )
}
