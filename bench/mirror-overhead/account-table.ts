import { figure, markdownTable } from '../table.ts'
import { mirroredCell } from './account-cells.ts'
import { labels } from './labels.ts'
import { fixedRateOf, type MeasuredPayload, saturatedOf } from './measured.ts'

export function accountTable(payload: MeasuredPayload): string {
  const rows = payload.sides.flatMap((name) => {
    const accounts = [saturatedOf(payload, name).account, fixedRateOf(payload, name).account]
    if (accounts.includes(undefined)) return []
    return [[labels[name]!, ...accounts.flatMap((account) => [figure(account!.seen), mirroredCell(account)])]]
  })
  const at = `at ${payload.plan.payload.requestsPerSecond}/s`
  return markdownTable(['side', 'seen at saturation', 'mirrored', `seen ${at}`, 'mirrored'], rows)
}
