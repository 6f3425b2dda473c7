import { figure, money } from '../text-table.ts'
import { fewInLimit } from './load-report.ts'
import type { CapacityReport } from './run-load.ts'
import { inCents, podsFor, type Replaced, yearlyCost } from './yearly-cost.ts'

export interface PodsOptions {
  /** Requests per second to serve in each region. */
  rate: number | undefined
  headroom: number
  /** Number of pods behind the measured target. */
  targetPods: number
  regions: number
  /** Price of one pod. */
  pricePerHour: number | undefined
  replaces: Replaced | undefined
}

/** What `--json` prints in addition to the capacity. Money is in the currency of the prices, for a year of 365 days. */
interface CapacityAnswer {
  capacityPerPod: number
  pods: { rate: number; headroom: number; perRegion: number; regions: number; all: number } | null
  yearly: { pods: number | null; replaced: number | null; saved: number | null }
}

export function answerCapacity({ capacity }: CapacityReport, options: PodsOptions): CapacityAnswer {
  const { rate, headroom, targetPods, regions, pricePerHour, replaces } = options
  const capacityPerPod = capacity / targetPods
  const perRegion =
    rate === undefined || capacity === 0 ? undefined : podsFor({ rate, capacity: capacityPerPod, headroom })
  const pods = perRegion && pricePerHour !== undefined ? yearlyCost(pricePerHour, perRegion * regions) : null
  const replaced = replaces ? yearlyCost(replaces.pricePerHour, replaces.units * regions) : null
  return {
    capacityPerPod,
    pods: perRegion ? { rate: rate!, headroom, perRegion, regions, all: perRegion * regions } : null,
    yearly: { pods, replaced, saved: pods === null || replaced === null ? null : inCents(replaced - pods) },
  }
}

/** So many digits that a reader who computes the pods from the figures gets the same number of them. */
const exact = (value: number) => String(Number(value.toPrecision(6)))

const aboutRefusals =
  'what broke the limit were requests that the target refuses at any rate (HTTP 4xx): leave them out, or allow them with --failures-max'

/** The answer with its arithmetic, one sentence per line. */
export function printedCapacity(report: CapacityReport, answer: CapacityAnswer, options: PodsOptions): string {
  const { limit, capacity, confirmed, limitedByLoad, limitedByRequests, steps } = report
  const refusals = limitedByRequests ? [`          ${aboutRefusals}`] : []
  if (capacity === 0) return ['capacity none: the limit held at no rate tried', ...refusals].join('\n')
  const { pods, yearly, capacityPerPod } = answer
  const { regions, pricePerHour, replaces, targetPods } = options
  const inRegions = regions === 1 ? '' : ` × ${regions} regions`
  const measured = steps.findLast(({ rate }) => rate === capacity)
  const sure = confirmed ? 'held twice' : 'NOT confirmed by a second run'
  const lines = [
    `capacity  ${figure(capacity)} requests/s within ${limit.latencyMs} ms at p${limit.percentile} (${sure}; ${steps.length} steps)`,
    ...refusals,
    ...(measured ? fewInLimit(measured).map((remark) => `          ${remark}`) : []),
  ]
  if (limitedByLoad) {
    lines.push(
      '          the load generator was late above that: from a machine with more free CPU, capacity may be higher',
    )
  } else if (confirmed && steps.every((step) => step.limit?.held)) {
    lines.push('          no rate up to --rate-max broke the limit: capacity may be higher')
  }
  if (targetPods > 1) {
    lines.push(`a pod     ${figure(capacityPerPod)} requests/s (${targetPods} pods behind the target)`)
  }
  if (pods) {
    const needed = `${exact(pods.rate)} ÷ (${exact(capacityPerPod)} × ${exact(1 - pods.headroom)})`
    lines.push(
      `pods      ${pods.perRegion}${inRegions} for ${exact(pods.rate)} requests/s: ⌈${needed}⌉, ${figure(100 * pods.headroom)} % headroom`,
    )
  }
  if (pods && yearly.pods !== null) {
    lines.push(`a year    ${pricePerHour} × 24 × 365 × ${pods.perRegion}${inRegions} = ${money(yearly.pods)}`)
  }
  if (replaces && yearly.replaced !== null) {
    lines.push(
      `replaces  ${replaces.pricePerHour} × 24 × 365 × ${replaces.units}${inRegions} = ${money(yearly.replaced)}`,
    )
  }
  if (yearly.saved !== null) lines.push(`saves     ${money(yearly.saved)} a year`)
  return lines.join('\n')
}
