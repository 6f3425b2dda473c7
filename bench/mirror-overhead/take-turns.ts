import { relativeRange, spreadOf } from '../report/spread.ts'
import type { Side } from '../sides/side.ts'
import type { Rounds } from './plan.ts'

interface Turns<Round> {
  /** By side, one round per turn. */
  rounds: Map<string, Round[]>
  /** Sides whose rounds did not reach the plan's `stableRange`. */
  unstable: string[]
}

/**
 * Measures every side in turn, forwards and backwards, until all are stable or the rounds are used up: slow drifts of
 * the machine then affect all sides alike.
 */
export async function takeTurns<Round>(
  sides: readonly Side[],
  plan: Rounds,
  round: (side: Side) => Promise<Round>,
  measure: (round: Round) => number,
): Promise<Turns<Round>> {
  const rounds = new Map<string, Round[]>(sides.map(({ name }) => [name, []]))
  const isUnstable = (name: string) => relativeRange(spreadOf(rounds.get(name)!.map(measure))) > plan.stableRange
  const unstable = () => sides.map(({ name }) => name).filter(isUnstable)
  for (let turn = 0; turn < plan.max; turn++) {
    if (turn >= plan.min && unstable().length === 0) break
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) rounds.get(side.name)!.push(await round(side))
  }
  return { rounds, unstable: unstable() }
}
