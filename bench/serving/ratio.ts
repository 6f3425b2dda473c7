import { type Spread, spreadOf } from '../report/spread.ts'
import { ratesOf, type Turns } from './take-turns.ts'

/**
 * The rate of the fastest of some sides divided by that of the fastest of others, turn by turn, so that variations of
 * the machine that affect a whole turn cancel out. Undefined if one of them was not measured.
 */
export function ratioByTurn(
  turns: Turns,
  names: string | readonly string[],
  others: readonly string[],
): Spread | undefined {
  const own = fastestByTurn(turns, typeof names === 'string' ? [names] : names)
  const base = fastestByTurn(turns, others)
  return own && base && spreadOf(own.map((rate, turn) => rate / base[turn]!))
}

function fastestByTurn({ rounds }: Turns, names: readonly string[]): number[] | undefined {
  const measured = names.map((name) => rounds.get(name))
  if (measured.some((rates) => rates === undefined)) return undefined
  const [first, ...rest] = measured.map((rates) => ratesOf(rates!)) as [number[], ...number[][]]
  return first.map((rate, turn) => Math.max(rate, ...rest.map((rates) => rates[turn]!)))
}
