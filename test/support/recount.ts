import { sql } from 'kysely'
import type { Answer } from '../../comparator/compare/answer.ts'
import { type Comparison, compareObservation } from '../../comparator/compare/compare-observation.ts'
import { compareOutputs, type OutputComparisons } from '../../comparator/compare/compare-outputs.ts'
import { BucketDeltas } from '../../comparator/jobs/bucket-deltas.ts'
import type { KnownValidation } from '../../comparator/jobs/comparator.ts'
import { answersOf, type OutputRow } from '../../comparator/jobs/intake/observation-row.ts'
import { contributionOfLabel, type Truth } from '../../comparator/metrics/contributions/label-contribution.ts'
import { contributionOf } from '../../comparator/metrics/contributions/observation-contribution.ts'
import { keysOf, sliceValuesOf } from '../../comparator/metrics/contributions/slice-values.ts'
import { type BinCounts, type Bins, pairsOf } from '../../comparator/statistics/bin-counts.ts'
import type { Sum, Sums } from '../../comparator/statistics/sums.ts'
import type { Db } from '../../comparator/store/database/open-database.ts'
import type { ObservationRow, Tables } from '../../comparator/store/database/tables.ts'
import { windowsUnderPolicy } from '../../comparator/store/gate/windows.ts'
import { foldMs } from '../../comparator/store/rollups/folded-groups.ts'
import { binsDecoder, sumsDecoder } from '../../comparator/store/rollups/rollup-bytes.ts'
import type { Observation } from '../../vocabulary/observation.ts'

/** One bucket of all traffic or of a slice; confusion cells are among the sums. */
export interface Bucket {
  sums: Sums
  bins: Bins
}

/** By resolution, bucket and slice. */
export type Buckets = ReadonlyMap<string, Bucket>

const nameOf = (of: { bucketMs: number; at: number; slice: string }) => `${of.bucketMs} ${of.at} ${of.slice}`

interface Counted {
  observation: Observation
  comparison: Comparison
  outputs: OutputComparisons
  slices: string[]
  truth: Truth | null
}

/** The expected rollups of these observations, each counted once, and of the labels by correlation id. */
export function rollupsOfStream(
  validation: KnownValidation,
  observations: readonly Observation[],
  labels: ReadonlyMap<string, Truth> = new Map(),
): Buckets {
  const { policy } = validation
  const unique = new Map(observations.map((observation) => [observation.id, observation]))
  const counted = Array.from(unique.values(), (observation): Counted => {
    const comparison = compareObservation(policy.output, observation)
    return {
      observation,
      comparison,
      outputs: compareOutputs(policy.outputs, observation),
      slices: keysOf(sliceValuesOf(policy, observation, comparison)),
      truth: labels.get(observation.correlationId ?? '') ?? null,
    }
  })
  return rollupsOf(validation, counted)
}

/**
 * The expected rollups of the stored observations. Works for outputs stored whole (regression and classification), if
 * no mapping found an unexpected value and no primary failed: that information is not stored.
 */
export async function recountOfStored(db: Db, validation: KnownValidation): Promise<Buckets> {
  const rows = await db.selectFrom('observation').selectAll().where('validation', '=', validation.name).execute()
  const counted = rows.map((row): Counted => {
    const main = { ...row, primary: row.primary_answer, candidate: row.candidate_answer } as OutputRow
    const outputs = Object.entries((row.outputs ?? {}) as Record<string, OutputRow>)
    return {
      observation: observationOf(row),
      comparison: comparisonOf(main),
      outputs: Object.fromEntries(outputs.map(([name, output]) => [name, comparisonOf(output)])),
      slices: keysOf(row.slices ?? {}),
      truth: row.truth as Truth | null,
    }
  })
  return rollupsOf(validation, counted)
}

/** The fields that are counted. */
function observationOf(row: ObservationRow): Observation {
  return {
    id: row.id,
    validation: row.validation,
    at: row.at.toISOString(),
    request: { method: 'POST', path: '/', bodyBytes: Number(row.request_bytes) },
    primary: row.primary_outcome as Observation['primary'],
    candidate: row.candidate_outcome as Observation['candidate'],
  }
}

function comparisonOf({ comparison: kind, reason, disagreement, primary, candidate }: OutputRow): Comparison {
  if (kind === 'skipped') return { kind, reason: reason!, primary, candidate }
  if (kind === 'failed') return { kind, reason: reason!, primary: primary! }
  return { kind, primary: primary!, candidate: candidate!, disagreement: disagreement!, differences: null }
}

function rollupsOf({ bucketMs, policy }: KnownValidation, counted: readonly Counted[]): Buckets {
  const deltas = new BucketDeltas()
  const window = { id: 0, bucket_ms: bucketMs, policy }
  for (const { observation, comparison, outputs, slices, truth } of counted) {
    const at = Date.parse(observation.at)
    deltas.add(window, at, contributionOf(policy, observation, comparison, outputs), slices)
    if (truth === null || comparison.kind === 'skipped') continue
    const candidate: Answer | null = comparison.kind === 'compared' ? comparison.candidate : null
    const answers = answersOf({ primary_answer: comparison.primary, candidate_answer: candidate })!
    deltas.add(window, at, contributionOfLabel(answers, truth), slices)
  }
  return new Map(
    deltas
      .toArray()
      .map((rollup) => [nameOf(rollup), { sums: new Map([...rollup.sums, ...rollup.cells]), bins: rollup.bins }]),
  )
}

/** The stored rollups. The stream must have made only one window. */
export async function storedRollups(db: Db, validation: KnownValidation): Promise<Buckets> {
  const windows = await windowsUnderPolicy(db, [validation])
  if (windows.length !== 1) throw new Error(`expected one window, got ${windows.length}`)
  return rollupsOfWindow(db, windows[0]!.id)
}

/** Everything except the half-day copies. */
export async function rollupsOfWindow(db: Db, windowId: number): Promise<Buckets> {
  const { rows } = await sql<Tables['rollup']>`
    select * from rollup where window_id = ${windowId} and (slice <> '' or bucket_ms <> ${foldMs})`.execute(db)
  const [sumsIn, cellsIn, binsIn] = [sumsDecoder(), sumsDecoder(), binsDecoder()]
  return new Map(
    rows.map(({ bucket_ms, slice, at, sums, cells, bins }) => [
      nameOf({ bucketMs: bucket_ms, at: at.getTime(), slice }),
      { sums: new Map([...sumsIn(sums), ...cellsIn(cells)]), bins: binsIn(bins) },
    ]),
  )
}

/**
 * The differences, one per line. Counts, extremes and bins must be equal; sums of fractions may differ in their last
 * digits, since they are added in a different order.
 */
export function rollupDifferences(stored: Buckets, expected: Buckets): string[] {
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
  // a sum of both signs may be far smaller than its parts
  const isSumNear = isNear(a.sum, b.sum, Math.sqrt(b.n * b.sumSq)) && isNear(a.sumSq, b.sumSq, b.sumSq)
  return a.n === b.n && a.min === b.min && a.max === b.max && isSumNear
}

const spelled = (counts: BinCounts | undefined) => counts && pairsOf(counts)
