import type { AcceptReceipt, Rejection } from '../../../vocabulary/observation.ts'
import { compareObservation } from '../../compare/compare-observation.ts'
import { compareOutputs } from '../../compare/compare-outputs.ts'
import type { Comparator } from '../comparator.ts'
import { recordOnce } from './intake.ts'
import { refusalOfVersions } from './limit-windows.ts'
import { parseObservation } from './parse-observation.ts'
import type { FreshObservation } from './record-observations.ts'
import { withStatedVersions } from './stated-versions.ts'

/**
 * Accepts a bundle. Each observation is compared and stored once by its id, and added to the rollups in the same
 * transaction, so that rollups always equal the observations that they summarise. An observation that does not parse,
 * or that the database refuses, is rejected alone.
 */
export async function acceptObservations(comparator: Comparator, bundle: readonly unknown[]): Promise<AcceptReceipt> {
  const { fresh, rejected } = readBundle(comparator, bundle)
  const { accepted, refused, unsteady } = await recordOnce(comparator, fresh)
  for (const { item, message } of refused) {
    rejected.push({
      index: item.index,
      code: 'INVALID_OBSERVATION',
      message: `the database refused it: ${message}`,
    })
  }
  for (const { index, observation } of unsteady) {
    rejected.push({ index, code: 'TOO_MANY_VERSIONS', message: refusalOfVersions(observation) })
  }
  for (const name of new Set(fresh.map(({ validation }) => validation.name))) comparator.arrivals.noteExchange(name)
  return { accepted: accepted.size, duplicates: bundle.length - rejected.length - accepted.size, rejected }
}

/** The bundle's observations without duplicates, each compared, and the rejections of what is no observation. */
function readBundle(comparator: Comparator, bundle: readonly unknown[]) {
  const limits = { now: comparator.clock.now(), retention: comparator.retention.observations }
  const rejected: Rejection[] = []
  const fresh = new Map<string, FreshObservation & { index: number }>()
  for (const [index, raw] of bundle.entries()) {
    const parsed = parseObservation(raw, index, comparator.validations, limits)
    if ('code' in parsed) rejected.push(parsed)
    else if (!fresh.has(parsed.observation.id)) {
      const { output, outputs } = parsed.validation.policy
      const observation = withStatedVersions(output, parsed.observation)
      const comparison = compareObservation(output, observation)
      const ofOutputs = compareOutputs(outputs, observation)
      fresh.set(observation.id, { ...parsed, observation, comparison, outputs: ofOutputs, index })
    }
  }
  return { fresh: [...fresh.values()], rejected }
}
