import { figure, markdownTable, percent } from '../table.ts'
import type { MirrorAccount } from './account.ts'
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

/** `99.9 % (shed 12)`; `–` where nothing is mirrored. */
function mirroredCell(account: MirrorAccount | undefined): string {
  if (!account) return '–'
  const { seen, mirrored, skipped } = account
  const reasons = Object.entries(skipped).map(([reason, count]) => `${reason} ${figure(count)}`)
  const share = percent(mirrored / seen)
  return reasons.length === 0 ? share : `${share} (${reasons.join(', ')})`
}
