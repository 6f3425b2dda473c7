import type { NumbersPair } from '../../../../vocabulary/api/answer-pair.ts'
import { formatCount } from '../format/number.ts'

/** Which of several rows is shown; empty if there is only one. */
export function FurthestRow({ row }: Pick<NumbersPair, 'row'>) {
  if (row === undefined) return null
  return (
    <p class="verdict-line">
      <strong>The row with index {row.index}</strong>, the most different of {formatCount(row.of)}.
    </p>
  )
}
