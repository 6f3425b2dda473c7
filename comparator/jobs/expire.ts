import { mirrorKeptMs } from '../../vocabulary/report-pace.ts'
import { dayMs, type EpochMs, hourMs, type Milliseconds } from '../../vocabulary/units.ts'
import { isConnectionError } from '../store/database/connection-error.ts'
import { inTransaction } from '../store/database/in-transaction.ts'
import { lockValidations } from '../store/database/lock-validations.ts'
import type { Db } from '../store/database/open-database.ts'
import { deleteEvaluationsBefore } from '../store/gate/gate-evaluations.ts'
import { pruneGateInputs } from '../store/gate/gate-inputs.ts'
import { windowsUnderPolicy } from '../store/gate/windows.ts'
import { deleteReportsBefore } from '../store/intake/coverage.ts'
import { deleteMirrorsBefore } from '../store/intake/mirrors.ts'
import { bodyBytes, deleteBodiesBefore, dropBodiesOver, pruneBodies } from '../store/observations/bodies.ts'
import { dayOf } from '../store/observations/day-of-id.ts'
import { deleteObservationsBefore } from '../store/observations/delete-expired.ts'
import { deleteExamplesBefore, pruneExamples } from '../store/observations/examples.ts'
import { ensurePartitions } from '../store/observations/partitions.ts'
import { foldSpan, spansToFold } from '../store/rollups/folded-groups.ts'
import { deleteFineRollupsBefore } from '../store/rollups/rollups.ts'
import { deleteSessionsBefore } from '../store/sign-in/sessions.ts'
import { chartBucketMs, chartBucketsKept } from './bucket-deltas.ts'
import type { Comparator } from './comparator.ts'
import { keptExamplesOf } from './intake/kept-examples.ts'

/** Ids are kept a little longer than observations are accepted, so that a late duplicate is still recognised. */
const idMargin = hourMs
const evaluationsKept = dayMs

/**
 * Deletes what is past its retention: observations, bodies, minute rollups, evaluations that nothing refers to, expired
 * sessions. A step that fails, say because a backup reads its table for hours, does not stop the others; an error at
 * the end names all that failed. A lost connection ends the run at once.
 */
export async function expire(comparator: Comparator): Promise<void> {
  const { db, clock, retention } = comparator
  const now = clock.now()
  const steps: Record<string, () => Promise<unknown>> = {
    partitions: () => makeReady(db, now),
    bodies: () => deleteBodiesBefore(db, now - Math.min(retention.bodies, retention.observations)),
    examples: () => deleteExamplesBefore(db, dayOf(now - retention.observations)),
    'bodies beyond examples': () => pruneToExamples(comparator),
    observations: () => deleteObservationsBefore(db, now - retention.observations - idMargin),
    'coverage reports': () =>
      deleteReportsBefore(db, now - Math.max(retention.observations, longestByMinutes(comparator)) - idMargin),
    'minute rollups': () => deleteFineRollupsBefore(db, chartBucketMs, now - chartBucketsKept),
    'gate inputs': () => pruneGateInputs(db),
    deliveries: () => comparator.webhooks.expire(db),
    evaluations: () => deleteEvaluationsBefore(db, new Date(now - evaluationsKept)),
    sessions: () => deleteSessionsBefore(db, new Date(now)),
    mirrors: () => deleteMirrorsBefore(db, now - mirrorKeptMs),
    'folded groups': () => foldGroups(comparator, now),
  }
  const failures = new Map<string, unknown>()
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step()
    } catch (error) {
      failures.set(name, error)
      if (isConnectionError(error)) break
    }
  }
  if (failures.size === 0) return
  const errors = [...failures].map(([name, cause]) => new Error(`${name}: ${(cause as Error).message}`, { cause }))
  throw new AggregateError(errors, `expiry failed for: ${[...failures.keys()].join(', ')}`)
}

/** The longest window with buckets shorter than an hour: such windows need the mirrors' skips by the minute. */
function longestByMinutes({ validations }: Comparator): Milliseconds {
  const short = [...validations.values()].filter(({ bucketMs }) => bucketMs < hourMs)
  return Math.max(0, ...short.map(({ policy }) => policy.window.duration))
}

/** How far a used-up body budget is cleared, so that worse observations to come find room. */
const shareLeft = 0.9

async function pruneToExamples({ db, validations }: Comparator): Promise<void> {
  const kept = keptExamplesOf(db)
  for (const { id, validation, revision } of await windowsUnderPolicy(db, [...validations.values()])) {
    if (kept.isPruned(id, revision)) continue
    await pruneExamples(db, id)
    if (validations.get(validation)!.config.store.bodies !== 'all') await pruneBodies(db, id)
    kept.notePruned(id, revision)
  }
  for (const { name, config } of validations.values()) {
    const budget = Math.floor(config.store.bytesMax * shareLeft)
    const spent = kept.spentBy(name) ?? (await bodyBytes(db, name))
    if (spent > budget) kept.countDropped(name, await dropBodiesOver(db, name, budget))
  }
  kept.forget()
}

/** Creates today's and tomorrow's partitions ahead of time, so that no bundle waits for one. */
async function makeReady(db: Db, now: EpochMs): Promise<void> {
  const days = [dayOf(now), dayOf(now + dayMs)]
  await ensurePartitions(db, 'observation', days)
  await ensurePartitions(db, 'observation_body', days)
}

/** Merges the histogram groups of half days that are over, so that a window of a month reads fewer rows. */
export async function foldGroups(
  { db, validations }: Pick<Comparator, 'db' | 'validations'>,
  now: EpochMs,
): Promise<void> {
  for (const { id, validation } of await windowsUnderPolicy(db, [...validations.values()])) {
    for (const span of await spansToFold(db, id, now)) {
      await inTransaction(db, async (tx) => {
        await lockValidations(tx, [validation])
        await foldSpan(tx, id, span)
      })
    }
  }
}
