import { percent } from '../table.ts'
import type { Turns, TurnsPlan } from './take-turns.ts'

export function howCompared({ rounds, missing, unstable }: Turns, { durationMs, stableRange }: TurnsPlan): string {
  const turns = Math.max(0, ...[...rounds.values()].map(({ length }) => length))
  const sentences = [
    `${turns} turn${turns === 1 ? '' : 's'}, in each of which every side runs alone for ${durationMs / 1000} s in fresh processes; two sides are compared turn by turn, and the median turn counts (lowest–highest).`,
  ]
  if (unstable.length > 0) {
    sentences.push(
      `Rates not stable within ${percent(stableRange)} when the turns were used up: ${unstable.join(', ')}.`,
    )
  }
  for (const [name, why] of missing) sentences.push(`Not measured: ${name} (${why}).`)
  return sentences.join(' ')
}
