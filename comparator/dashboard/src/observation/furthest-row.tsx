import type { NumbersPair } from '../../../../vocabulary/answer-pair.ts'
import { formatCount } from '../format/number.ts'

/** Which row of several is shown; nothing where there is one. */
export function FurthestRow({ row }: Pick<NumbersPair, 'row'>) {
  if (row === undefined) return null
  return (
    <p class="verdict-line">
      <strong>The row with index {row.index}</strong>, the furthest apart of {formatCount(row.of)}.
    </p>
  )
}
