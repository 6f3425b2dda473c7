import { otherName } from './name-sample.ts'

/** Of two different labels that are both others, the candidate's: they must not look like an agreement. */
export const anotherName = '(another)'

/** A cell of the confusion matrix by the labels that are kept. */
export function foldCell(primary: string, candidate: string, isKept: (label: string) => boolean): [string, string] {
  const p = isKept(primary) && primary !== anotherName ? primary : otherName
  if (isKept(candidate) && candidate !== otherName && candidate !== anotherName) return [p, candidate]
  return [p, primary === candidate || p !== otherName ? otherName : anotherName]
}
