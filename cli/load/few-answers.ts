import { rankOf } from './latencies.ts'

/** With fewer, chance decides which answers are the slowest. */
const slowestMin = 10

/** Says on how few of the slowest answers a percentile rests, if they are too few; `longer` is the option for more. */
export function fewAnswers(percentile: number, answers: number, longer: '--duration' | '--window'): string[] {
  const slowest = answers - rankOf(percentile, answers) + 1
  if (answers === 0 || slowest >= slowestMin) return []
  return [`p${percentile} of ${answers} answers rests on the slowest ${slowest}: a longer ${longer} says more`]
}
