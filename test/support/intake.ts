import { compareObservation } from '../../comparator/compare/compare-observation.ts'
import { comparatorSchema, type ValidationConfig } from '../../comparator/config.ts'
import { BucketDeltas } from '../../comparator/jobs/bucket-deltas.ts'
import { type Comparator, type KnownValidation, knowValidation } from '../../comparator/jobs/comparator.ts'
import { type Contribution, contributionOf } from '../../comparator/metrics/contribution.ts'
import type { Bins } from '../../comparator/statistics/bin-counts.ts'
import { type BinCounts, pairsOf } from '../../comparator/statistics/bin-counts.ts'
import { mergeSums, type Sum, type Sums } from '../../comparator/statistics/sums.ts'
import { migrate } from '../../comparator/store/migrate.ts'
import { type Db, openDatabase } from '../../comparator/store/open-database.ts'
import { readRollups } from '../../comparator/store/rollups.ts'
import { syncValidations } from '../../comparator/store/sync-validations.ts'
import { windowsUnderPolicy } from '../../comparator/store/windows.ts'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { createLogger } from '../../runtime/logger.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import { createTestDatabase } from './database.ts'

const dayMs = 86_400_000

/** What the intake's jobs work with, on this database: a comparator without its HTTP. */
export function intakeOn(db: Db, validations: unknown[], clock: Clock = systemClock): Comparator {
  const { value, problems } = decodeSection({ validations }, 'comparator', comparatorSchema, {})
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const configs = (value as { validations: ValidationConfig[] }).validations
  return {
    db,
    clock,
    logger: createLogger('test', 'error'),
    validations: new Map(configs.map((config) => [config.name, knowValidation(config)])),
    retention: { observations: 14 * dayMs, bodies: 3 * dayMs },
    arrivals: { saw: () => {}, mirrored: () => {} },
    webhooks: { expire: async () => {} },
    routingChanged: () => {},
  } as unknown as Comparator
}

/** A database of the test's own with the newest schema and these validations. */
export async function openTestStore(validations: unknown[], clock?: Clock) {
  const testDatabase = await createTestDatabase()
  const { db, close } = await openDatabase(testDatabase.url)
  await migrate(db)
  const comparator = intakeOn(db, validations, clock)
  await syncValidations(db, [...comparator.validations.values()])
  return {
    db,
    url: testDatabase.url,
    comparator,
    close: async () => {
      await close()
      await testDatabase.drop()
    },
  }
}

export interface Bucket {
  sums: Sums
  bins: Bins
}

/** What the rollups must hold of these observations, each counted once: by resolution and bucket. */
export function rollupsOfStream(
  validation: KnownValidation,
  observations: readonly Observation[],
): Map<string, Bucket> {
  const unique = new Map(observations.map((observation) => [observation.id, observation]))
  const deltas = new BucketDeltas()
  for (const observation of unique.values()) {
    const comparison = compareObservation(validation.policy.output, observation)
    const contribution: Contribution = contributionOf(validation.policy, observation, comparison)
    deltas.add(
      { id: 0, bucket_ms: validation.bucketMs, policy: validation.policy },
      Date.parse(observation.at),
      contribution,
    )
  }
  return new Map(
    deltas.toArray().map(({ bucketMs, at, sums, bins }) => [`${bucketMs} ${at}`, { sums, bins } as Bucket]),
  )
}

/** The same of what the store holds. The stream must have made one window only. */
export async function storedRollups(
  db: Db,
  validation: KnownValidation,
  widths: readonly number[],
): Promise<Map<string, Bucket>> {
  const windows = await windowsUnderPolicy(db, [validation])
  if (windows.length !== 1) throw new Error(`expected one window, got ${windows.length}`)
  const buckets = new Map<string, Bucket>()
  const bucketAt = (key: string) => {
    const known = buckets.get(key) ?? { sums: new Map(), bins: new Map() }
    buckets.set(key, known)
    return known
  }
  for (const bucketMs of widths) {
    const all = { windowId: windows[0]!.id, bucketMs, from: 0, to: Date.now() + 365 * dayMs, groupMs: bucketMs }
    const range = await readRollups(db, all)
    for (const { at, sums } of range.buckets) bucketAt(`${bucketMs} ${at}`).sums = sums
    for (const { at, cells, bins } of range.groups) {
      const bucket = bucketAt(`${bucketMs} ${at}`)
      bucket.bins = bins
      mergeSums(bucket.sums, cells)
    }
  }
  return buckets
}

/**
 * Where two differ, one line each. Counts, extremes and bins must be equal; a sum of fractions in another order may
 * differ in its last digits.
 */
export function rollupDifferences(
  stored: ReadonlyMap<string, Bucket>,
  expected: ReadonlyMap<string, Bucket>,
): string[] {
  const found: string[] = []
  const differ = (where: string, a: unknown, b: unknown) =>
    found.push(`${where}: ${JSON.stringify(a)} instead of ${JSON.stringify(b)}`)
  for (const key of new Set([...stored.keys(), ...expected.keys()])) {
    const [a, b] = [stored.get(key), expected.get(key)]
    for (const measure of new Set([...(a?.sums.keys() ?? []), ...(b?.sums.keys() ?? [])])) {
      const [of, to] = [a?.sums.get(measure), b?.sums.get(measure)]
      if (!of || !to || !isSameSum(of, to)) differ(`${key} ${measure}`, of, to)
    }
    for (const measure of new Set([...(a?.bins.keys() ?? []), ...(b?.bins.keys() ?? [])])) {
      const [of, to] = [spelled(a?.bins.get(measure)), spelled(b?.bins.get(measure))]
      if (JSON.stringify(of) !== JSON.stringify(to)) differ(`${key} bins of ${measure}`, of, to)
    }
  }
  return found
}

function isSameSum(a: Sum, b: Sum): boolean {
  const isNear = (x: number, y: number, size: number) => Math.abs(x - y) <= 1e-12 * Math.max(1e-9, size)
  // a sum of both signs may be far smaller than what it was made of
  const isSumNear = isNear(a.sum, b.sum, Math.sqrt(b.n * b.sumSq)) && isNear(a.sumSq, b.sumSq, b.sumSq)
  return a.n === b.n && a.min === b.min && a.max === b.max && isSumNear
}

const spelled = (counts: BinCounts | undefined) => counts && pairsOf(counts)
