import type { Turns } from './take-turns.ts'

/** Relative to the largest element: other batch sizes and engines add in a different order. */
const toleranceShare = 0.01

/** Whether two answers to the same input agree over their common length. Two empty answers do not. */
export function isSameAnswer(answer: readonly number[], other: readonly number[]): boolean {
  const count = Math.min(answer.length, other.length)
  const largest = Math.max(...other.slice(0, count).map(Math.abs))
  const differences = answer.slice(0, count).map((value, i) => Math.abs(value - other[i]!))
  return count > 0 && differences.every((difference) => difference <= toleranceShare * largest)
}

/** One sentence for every side whose answer differs from `reference`'s, or that had errors. */
export function brokenAnswers({ rounds }: Turns, names: readonly string[], reference: string): string[] {
  const expected = rounds.get(reference)?.[0]?.answer
  return names.flatMap((name) => {
    const own = rounds.get(name) ?? []
    const errors = own.reduce((sum, round) => sum + round.errors, 0)
    const differs = expected && own.some(({ answer }) => !isSameAnswer(answer, expected))
    return [
      ...(errors > 0 ? [`${name}: ${errors} requests failed`] : []),
      ...(differs ? [`${name} answers [${own[0]!.answer.slice(0, 3)}…], ${reference} [${expected.slice(0, 3)}…]`] : []),
    ]
  })
}
