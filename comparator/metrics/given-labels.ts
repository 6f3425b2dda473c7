/**
 * The labels that both sides give, of a model that may give several or none: F1 = 2·|P ∩ C| ÷ (|P| + |C|), 1 where
 * neither side gives any, and whether they are the same. A label is given from its side's least score up.
 * `primary[i]` and `candidate[i]` are of one label.
 */
export function compareGiven(
  primary: readonly number[],
  candidate: readonly number[],
  scoreMin: { primary: number; candidate: number },
): { f1: number; equal: 0 | 1 } {
  let both = 0
  let all = 0
  for (const [i, score] of primary.entries()) {
    const isGiven = score >= scoreMin.primary
    const isGivenToo = candidate[i]! >= scoreMin.candidate
    all += Number(isGiven) + Number(isGivenToo)
    if (isGiven && isGivenToo) both++
  }
  return { f1: all === 0 ? 1 : (2 * both) / all, equal: 2 * both === all ? 1 : 0 }
}
