import { setImmediate } from 'node:timers/promises'
import type { Observation } from '../../../vocabulary/observation.ts'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { Comparison } from '../../compare/compare-observation.ts'
import type { OutputComparisons } from '../../compare/compare-outputs.ts'
import { contributionOfLabel, type Truth } from '../../metrics/contributions/label-contribution.ts'
import { contributionOf } from '../../metrics/contributions/observation-contribution.ts'
import { keepValues, keysOf, namedValues, sliceValuesOf } from '../../metrics/contributions/slice-values.ts'
import { afterCommit, againWhereUndone, inOneTransaction } from '../../store/database/in-transaction.ts'
import { storableText } from '../../store/database/json.ts'
import { lockValidations } from '../../store/database/lock-validations.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { ObservationRow, WindowRow } from '../../store/database/tables.ts'
import { insertBodies } from '../../store/observations/bodies.ts'
import { insertExamples } from '../../store/observations/examples.ts'
import { type LabelKey, labelName, labelsOf } from '../../store/observations/labels.ts'
import { insertObservations, knownIds } from '../../store/observations/observations.ts'
import { addToRollups } from '../../store/rollups/rollups.ts'
import { BucketDeltas } from '../bucket-deltas.ts'
import { EvidenceWindows } from './evidence-windows.ts'
import { type ChosenExamples, type KeptExamples, keptExamplesOf } from './kept-examples.ts'
import { answersOf, observationRow } from './observation-row.ts'
import type { ParsedObservation } from './parse-observation.ts'

export type FreshObservation = ParsedObservation & { comparison: Comparison; outputs: OutputComparisons }

export interface RecordedIds {
  /** Ids that were new; only these are counted. */
  accepted: string[]
  /** Ids of observations that would have begun too many windows. */
  unsteady: string[]
}

/**
 * Stores observations, their rollups, examples and bodies in one transaction, under their validations' locks. Bodies
 * from before `times.bodiesFrom` are not kept.
 */
export function recordObservations(db: Db, items: readonly FreshObservation[], times: Times): Promise<RecordedIds> {
  return againWhereUndone(() => recordOrForget(db, items, times))
}

interface Times {
  now: EpochMs
  bodiesFrom: EpochMs
}

async function recordOrForget(db: Db, items: readonly FreshObservation[], times: Times): Promise<RecordedIds> {
  const kept = keptExamplesOf(db)
  try {
    return await inOneTransaction(db, async (tx) => {
      await lockValidations(
        tx,
        items.map(({ validation }) => validation.name),
      )
      const known = await knownIds(
        tx,
        items.map(({ observation }) => observation.id),
      )
      const fresh = items.filter(({ observation }) => !known.has(observation.id)).sort((a, b) => a.at - b.at)
      return fresh.length > 0 ? await record(tx, fresh, kept, times) : { accepted: [], unsteady: [] }
    })
  } catch (error) {
    kept.forget()
    // on the second try those ids are known
    if (error instanceof CountedElsewhere) return recordOrForget(db, items, times)
    throw error
  }
}

/** An id was stored concurrently under another validation's lock, so it must not be counted here. */
class CountedElsewhere extends Error {}

async function record(
  tx: Tx,
  fresh: readonly FreshObservation[],
  kept: KeptExamples,
  times: Times,
): Promise<RecordedIds> {
  const windows = await EvidenceWindows.load(tx, [...new Set(fresh.map(({ validation }) => validation))])
  const truths = await truthsOf(tx, fresh)
  const attributed: Attributed[] = []
  const unsteady: string[] = []
  for (const item of fresh) {
    const window = await windows.attribute(item.validation, item.observation, item.at)
    if (!window) {
      unsteady.push(item.observation.id)
      continue
    }
    const truth = truths.get(labelName(labelKeyOf(item.observation))) ?? null
    const { policy } = item.validation
    const values = sliceValuesOf(policy, item.observation, item.comparison)
    const slices = keepValues(values, window.slice_values, namedValues(policy))
    attributed.push({ ...item, window, truth, row: observationRow(item, { windowId: window.id, slices, truth }) })
  }
  if (attributed.length === 0) return { accepted: [], unsteady }
  const known = await kept.learn(tx, attributed, times.now)
  const rows = attributed.map(({ row }) => row)
  const inserting = insertObservations(tx, rows)
  inserting.catch(() => {}) // awaited below: summarising must end before another transaction starts
  const { deltas, examples, bodies, dropped } = await summarise(attributed, (items) => kept.choose(known, items, times))
  const inserted = await inserting
  if (inserted.size < rows.length) throw new CountedElsewhere()
  for (const { window, observation, at } of attributed) windows.count(window, observation, at)
  await windows.save()
  await insertExamples(tx, examples)
  await insertBodies(tx, bodies)
  await addToRollups(tx, deltas)
  afterCommit(tx, () => {
    for (const name of dropped) kept.countDropped(name, 1)
  })
  return { accepted: rows.map(({ id }) => id), unsteady }
}

type Attributed = FreshObservation & { window: WindowRow; truth: Truth | null; row: ObservationRow }

/** Summarises observations while they are inserted, on the assumption that all are new, which nearly always holds. */
async function summarise(attributed: readonly Attributed[], choose: (items: readonly Attributed[]) => ChosenExamples) {
  const deltas = new BucketDeltas()
  const chosen: ChosenExamples = { examples: [], bodies: [], dropped: [] }
  for (let from = 0; from < attributed.length; from += itemsPerTurn) {
    // yields, so that the whole statement is sent to the database and its answer is received
    await setImmediate()
    const items = attributed.slice(from, from + itemsPerTurn)
    for (const { validation, observation, at, comparison, outputs, window, truth, row } of items) {
      const slices = keysOf(row.slices!)
      deltas.add(window, at, contributionOf(validation.policy, observation, comparison, outputs), slices)
      const answers = answersOf(row)
      if (truth !== null && answers) {
        deltas.add(window, at, contributionOfLabel(answers, truth), slices)
      }
    }
    const { examples, bodies, dropped } = choose(items)
    chosen.examples.push(...examples)
    chosen.bodies.push(...bodies)
    chosen.dropped.push(...dropped)
  }
  return { deltas: deltas.toArray(), ...chosen }
}

/** Number of observations summarised before yielding: one or two milliseconds of work. */
const itemsPerTurn = 100

/** The key that a label of this observation has. */
const labelKeyOf = ({ validation, correlationId = '' }: Observation): LabelKey => ({
  validation,
  correlationId: storableText(correlationId),
})

/** The labels that arrived before their observations. */
async function truthsOf(tx: Tx, fresh: readonly { observation: Observation }[]): Promise<Map<string, Truth>> {
  const keys = fresh
    .filter(({ observation }) => observation.correlationId !== undefined)
    .map(({ observation }) => labelKeyOf(observation))
  return (await labelsOf(tx, keys)) as Map<string, Truth>
}
