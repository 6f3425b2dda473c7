import type { Observation } from '../../vocabulary/observation.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import type { Comparison } from '../compare/compare-observation.ts'
import type { OutputComparisons } from '../compare/compare-outputs.ts'
import { contributionOf, contributionOfLabel } from '../metrics/contribution.ts'
import { keepValues, keysOf, namedValues, sliceValuesOf } from '../metrics/slices-of.ts'
import { storableText } from '../store/json.ts'
import { labelsOf } from '../store/labels.ts'
import { lockValidations } from '../store/lock-validations.ts'
import { insertObservations, knownIds } from '../store/observations.ts'
import type { Db, Tx } from '../store/open-database.ts'
import { addToRollups } from '../store/rollups.ts'
import type { ObservationRow } from '../store/tables.ts'
import { EvidenceWindows } from './attribute-evidence.ts'
import { BucketDeltas } from './bucket-deltas.ts'
import { keptExamplesOf } from './kept-examples.ts'
import { answersOf, observationRow } from './observation-row.ts'
import type { ParsedObservation } from './parse-observation.ts'

export type FreshObservation = ParsedObservation & { comparison: Comparison; outputs: OutputComparisons }

/**
 * Stores observations with all that follows from them in one transaction, under their validations' locks. Returns the
 * ids that were new: they alone are counted. Bodies from before `times.bodiesFrom` are not kept.
 */
export async function recordObservations(
  db: Db,
  items: readonly FreshObservation[],
  times: { now: EpochMs; bodiesFrom: EpochMs },
): Promise<string[]> {
  const kept = keptExamplesOf(db)
  return db
    .transaction()
    .execute(async (tx) => {
      await lockValidations(
        tx,
        items.map(({ validation }) => validation.name),
      )
      const known = await knownIds(
        tx,
        items.map(({ observation }) => observation.id),
      )
      const fresh = items.filter(({ observation }) => !known.has(observation.id)).sort((a, b) => a.at - b.at)
      return fresh.length === 0 ? [] : record(tx, fresh, (counted) => kept.keep(tx, counted, times))
    })
    .catch((error) => {
      kept.forget()
      throw error
    })
}

async function record(
  tx: Tx,
  fresh: readonly FreshObservation[],
  keepExamples: (counted: readonly (FreshObservation & { row: ObservationRow })[]) => Promise<void>,
): Promise<string[]> {
  const windows = await EvidenceWindows.load(tx, [...new Set(fresh.map(({ validation }) => validation))])
  const truths = await truthsOf(tx, fresh)
  const attributed = []
  for (const item of fresh) {
    const window = await windows.attribute(item.validation, item.observation, item.at)
    const truth = truths.get(labelKey(item.observation)) ?? null
    const { policy } = item.validation
    const values = sliceValuesOf(policy, item.observation, item.comparison)
    const slices = keepValues(values, window.slice_values, namedValues(policy))
    attributed.push({ ...item, window, truth, row: observationRow(item, { windowId: window.id, slices, truth }) })
  }
  const inserted = await insertObservations(
    tx,
    attributed.map(({ row }) => row),
  )
  // an id that came under another validation's lock is not ours to count
  const counted = attributed.filter(({ row }) => inserted.has(row.id))
  const deltas = new BucketDeltas()
  for (const { validation, observation, at, comparison, outputs, window, truth, row } of counted) {
    windows.count(window, observation, at)
    const slices = keysOf(row.slices!)
    deltas.add(window, at, contributionOf(validation.policy, observation, comparison, outputs), slices)
    const answers = answersOf(row)
    if (truth !== null && answers) {
      deltas.add(window, at, contributionOfLabel(validation.policy, answers, truth), slices)
    }
  }
  await windows.save()
  await keepExamples(counted)
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
