import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import { formatCounted } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'

/** Added to figures that include the candidate's failures; empty for others. */
export function failuresClause({ failures }: Pick<CheckResult, 'failures'>): string {
  if (failures === undefined) return ''
  const { n, reason, ofReason, found } = failures
  const mostly = ofReason === n ? '' : ', mostly'
  const why = found === undefined ? reasonWords(reason) : `${reasonWords(reason)} (${found})`
  return `; the candidate failed in ${formatCounted(n, 'exchange')}${mostly}: ${why}`
}
