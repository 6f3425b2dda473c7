import { onTestFinished } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { ByteBudget } from '../capture/byte-budget.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { type Field, field } from '../http1/fields.ts'
import { ShadowQueue, type ShadowQueueOptions } from '../shadow/shadow-queue.ts'
import { onlyTarget } from '../shadow/shadow-targets.ts'
import { parseTarget } from '../upstream/target.ts'

const limits = {
  deadlineMs: 5000,
  concurrency: 2,
  queueMax: 3,
  shed: 'newest',
  retries: 0,
  breaker: { failures: 0, cooldownMs: 1000 },
  host: 'keep',
  editFields: (fields: Field[]) => fields,
  responseBytesMax: 1000,
  clock: systemClock,
} as const

/** Closed when the test ends. */
export function queueUnderTest(url: string, changed: Partial<ShadowQueueOptions> = {}) {
  const budget = new ByteBudget(100_000)
  const queue = new ShadowQueue({ ...limits, ...changed, targets: onlyTarget(parseTarget(url)), budget })
  onTestFinished(() => queue.close())
  const outcomes: LegOutcome[] = []
  const ends: { path: string; kind: LegOutcome['kind'] }[] = []
  const offer = (path = '/p', method = 'POST') =>
    queue.offer(
      () => ({ method, path, fields: [field('x-a', '1')], body: Buffer.from('{}') }),
      (outcome) => {
        if (outcome.kind === 'answered') outcome.body.release()
        outcomes.push(outcome)
        ends.push({ path, kind: outcome.kind })
      },
    )
  const kinds = () => outcomes.map(({ kind }) => kind)
  return { queue, budget, outcomes, ends, offer, kinds }
}
