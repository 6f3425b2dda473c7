import type { SaturatedResult } from '../load/load-saturated.ts'
import { cpuSeconds } from '../processes/cpu-time.ts'
import { settle } from '../processes/settle.ts'
import { type Spread, spreadOf } from '../report/spread.ts'
import type { Side } from '../sides/side.ts'
import { type MirrorAccount, sumOfAccounts, withAccount } from './account.ts'
import type { PayloadPlan } from './plan.ts'
import type { Stage } from './start.ts'
import { takeTurns } from './take-turns.ts'

export interface SaturatedSide {
  requestsPerSecond: Spread
  /** The proxy's CPU time per request in µs, including work after the response. */
  cpuMicros: Spread | undefined
  /** Share of its CPU that the proxy used under load: far below 1, something else was the limit. */
  busy: number | undefined
  errors: number
  account: MirrorAccount | undefined
  /** One per turn. */
  rounds: SaturatedResult[]
}
export interface SaturatedOutcome {
  sides: Map<string, SaturatedSide>
  unstable: string[]
  rounds: number
}

interface Round extends SaturatedResult {
  cpuMicros: number | undefined
  busy: number | undefined
}

export async function measureSaturated(
  stage: Stage,
  sides: readonly Side[],
  { payload, warmUpMs, saturated: plan }: PayloadPlan,
  progress: (line: string) => void,
): Promise<SaturatedOutcome> {
  const { connections, requestBytes } = payload
  const load = (port: number, durationMs: number) =>
    stage.load<SaturatedResult>({ kind: 'saturated', port, connections, durationMs, requestBytes })

  for (const side of sides) {
    await load(side.port, warmUpMs)
    await settle(side)
  }
  const turns = await takeTurns(
    sides,
    plan,
    async (side) => {
      const { result, account } = await withAccount(side, stage, () =>
        saturateOnce(side, () => load(side.port, plan.durationMs)),
      )
      progress(
        `${payload.name}, saturated: ${side.name} ${result.requestsPerSecond.toFixed(0)}/s, ${result.cpuMicros?.toFixed(0) ?? '–'} µs CPU a request, ${result.errors} errors`,
      )
      return { ...result, account }
    },
    ({ requestsPerSecond }) => requestsPerSecond,
  )
  const outcomes = [...turns.rounds].map(([name, rounds]): [string, SaturatedSide] => [
    name,
    {
      requestsPerSecond: spreadOf(rounds.map((round) => round.requestsPerSecond)),
      cpuMicros: spreadOfKnown(rounds.map((round) => round.cpuMicros)),
      busy: spreadOfKnown(rounds.map((round) => round.busy))?.median,
      errors: rounds.reduce((sum, round) => sum + round.errors, 0),
      account: rounds[0]!.account && sumOfAccounts(rounds.map((round) => round.account!)),
      rounds,
    },
  ])
  return { sides: new Map(outcomes), unstable: turns.unstable, rounds: turns.rounds.get('direct')!.length }
}

/** Reads CPU time at the end of the load (how busy the proxy was) and again at rest (the total cost of a request). */
async function saturateOnce(side: Side, load: () => Promise<SaturatedResult>): Promise<Round> {
  const cpu = () => (side.pid === undefined ? undefined : cpuSeconds(side.pid))
  const [before, from] = [cpu(), performance.now()]
  const result = await load()
  const [atEnd, to] = [cpu(), performance.now()]
  await settle(side)
  const atRest = cpu()
  if (before === undefined || atEnd === undefined || atRest === undefined) {
    return { ...result, cpuMicros: undefined, busy: undefined }
  }
  const cpuMicros = ((atRest - before) * 1e6) / result.requests
  return { ...result, cpuMicros, busy: (atEnd - before) / ((to - from) / 1000) }
}

function spreadOfKnown(values: (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : spreadOf(known)
}
