import type { FixedRateResult } from '../load/load-fixed-rate.ts'
import { settle } from '../processes/settle.ts'
import { type Spread, spreadOf } from '../report/spread.ts'
import { type Side, shadowDeadlineMs } from '../sides/side.ts'
import { type MirrorAccount, sumOfAccounts, withAccount } from './account.ts'
import type { PayloadPlan } from './plan.ts'
import type { Stage } from './start.ts'
import { takeTurns } from './take-turns.ts'

export interface FixedRateSide {
  p50Ms: Spread
  p95Ms: Spread
  p99Ms: Spread
  latenessP99Ms: number
  requests: number
  unanswered: number
  errors: number
  account: MirrorAccount | undefined
  /** One per turn. */
  rounds: FixedRateResult[]
}
export interface FixedRateOutcome {
  sides: Map<string, FixedRateSide>
  unstable: string[]
  rounds: number
}

/** As long as a shadow request may take, so that a client held up by a hung one is seen waiting. */
const patienceMs = shadowDeadlineMs

/**
 * Each round has its own quantiles and the side's result is their median: a bad second spoils one round, not the run.
 */
export async function measureFixedRate(
  stage: Stage,
  sides: readonly Side[],
  { payload, fixedRate: plan }: PayloadPlan,
  progress: (line: string) => void,
): Promise<FixedRateOutcome> {
  const { connections, requestsPerSecond } = payload
  const turns = await takeTurns(
    sides,
    plan,
    async (side) => {
      const { result, account } = await withAccount(side, stage, async () => {
        const round = await stage.load<FixedRateResult>({
          kind: 'fixedRate',
          port: side.port,
          connections,
          requestsPerSecond,
          durationMs: plan.durationMs,
          requestBytes: [payload.requestBytes],
          patienceMs,
        })
        await settle(side)
        return round
      })
      const quantiles = `p50 ${result.p50Ms.toFixed(2)} ms, p99 ${result.p99Ms.toFixed(2)} ms, load late p99 ${result.latenessP99Ms.toFixed(2)} ms`
      progress(
        `${payload.name}, ${requestsPerSecond}/s: ${side.name} ${quantiles}, ${result.errors} errors, ${result.unanswered} unanswered`,
      )
      return { ...result, account }
    },
    ({ p50Ms }) => p50Ms,
  )
  const outcomes = [...turns.rounds].map(([name, rounds]): [string, FixedRateSide] => [
    name,
    {
      p50Ms: spreadOf(rounds.map((round) => round.p50Ms)),
      p95Ms: spreadOf(rounds.map((round) => round.p95Ms)),
      p99Ms: spreadOf(rounds.map((round) => round.p99Ms)),
      latenessP99Ms: spreadOf(rounds.map((round) => round.latenessP99Ms)).median,
      requests: rounds.reduce((sum, round) => sum + round.requests, 0),
      unanswered: rounds.reduce((sum, round) => sum + round.unanswered, 0),
      errors: rounds.reduce((sum, round) => sum + round.errors, 0),
      account: rounds[0]!.account && sumOfAccounts(rounds.map((round) => round.account!)),
      rounds,
    },
  ])
  return { sides: new Map(outcomes), unstable: turns.unstable, rounds: turns.rounds.get('direct')!.length }
}
