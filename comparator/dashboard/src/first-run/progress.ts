import type { MirrorView } from '../../../../vocabulary/mirrors.ts'

type StepState = 'done' | 'now' | 'waits'

export interface Progress {
  validation: StepState
  mirror: StepState
  exchange: StepState
  mirrorName: string | null
  /** Exchanges that mirrors have seen for the validation. */
  seen: number
}

/** How close a validation is to its first observation, according to the mirrors' reports. */
export function progressOf(
  validation: string,
  isConfigured: boolean,
  mirrors: readonly Pick<MirrorView, 'name' | 'state' | 'ledger' | 'candidates'>[],
): Progress {
  const its = mirrors.filter(
    ({ state, candidates }) => state === 'reporting' && candidates.some((one) => one.validation === validation),
  )
  const seen = its
    .flatMap(({ ledger }) => ledger)
    .filter((account) => account.validation === validation)
    .reduce((sum, account) => sum + account.seen, 0)
  const hasMirror = its.length > 0
  return {
    validation: isConfigured ? 'done' : 'now',
    mirror: hasMirror ? 'done' : isConfigured ? 'now' : 'waits',
    exchange: seen > 0 ? 'done' : hasMirror ? 'now' : 'waits',
    mirrorName: its[0]?.name ?? null,
    seen,
  }
}
