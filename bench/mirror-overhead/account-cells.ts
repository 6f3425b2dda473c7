import { figure, percent } from '../table.ts'
import type { MirrorAccount } from './account.ts'

/** `99.9 % (shed 12)`; `–` where nothing is mirrored. */
export function mirroredCell(account: MirrorAccount | undefined): string {
  if (!account) return '–'
  const { seen, mirrored, skipped } = account
  const reasons = Object.entries(skipped).map(([reason, count]) => `${reason} ${figure(count)}`)
  const share = percent(mirrored / seen)
  return reasons.length === 0 ? share : `${share} (${reasons.join(', ')})`
}
