import { percent } from '../report/table.ts'
import type { Turns, TurnsPlan } from './take-turns.ts'

export function howCompared({ rounds, missing, unstable }: Turns, { durationMs, stableRange }: TurnsPlan): string {
  const errors = [...rounds.values()].flat().reduce((sum, round) => sum + round.errors, 0)
  const turns = Math.max(0, ...[...rounds.values()].map(({ length }) => length))
  const sentences = [
    `${turns} turn${turns === 1 ? '' : 's'}, in each of which every side runs alone for ${durationMs / 1000} s in fresh processes. Sides are compared within each turn, and the median turn counts (lowest–highest). ${errors === 0 ? 'No request failed.' : `${errors} requests failed.`}`,
  ]
  if (unstable.length > 0) {
    sentences.push(
      `${unstable.length} of ${rounds.size} rates were not stable within ${percent(stableRange)} when the turns were used up.`,
    )
  }
  for (const [name, why] of missing) sentences.push(`Not measured: ${name} (${why}).`)
  return sentences.join(' ')
}
