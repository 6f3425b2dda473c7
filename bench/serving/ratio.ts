import { type Spread, spreadOf } from '../spread.ts'
import { figure } from '../table.ts'
import { ratesOf, type Turns } from './take-turns.ts'

/**
 * One side's rate over that of the fastest of others, turn by turn, so that what the machine did to the whole turn
 * cancels out. Undefined where one of them was not measured.
 */
export function ratioByTurn({ rounds }: Turns, name: string, others: readonly string[]): Spread | undefined {
  const own = rounds.get(name)
  const bases = others.map((other) => rounds.get(other))
  if (!own || bases.some((base) => base === undefined)) return undefined
  const rates = bases.map((base) => ratesOf(base!))
  return spreadOf(ratesOf(own).map((rate, turn) => rate / Math.max(...rates.map((of) => of[turn]!))))
}

export const times = (spread: Spread | undefined) =>
  spread ? `${figure(spread.median)} × (${figure(spread.min)}–${figure(spread.max)})` : '–'

/** A median turn decides. */
export const verdict = (isMet: boolean | undefined) =>
  isMet === undefined ? 'not measured' : isMet ? '**yes**' : '**no**'
