import type { BreakerState, MirroredCandidate, MirrorsView } from '../../../../vocabulary/mirrors.ts'

export type CandidateRow = MirroredCandidate & { mirror: string; isOld: boolean }

const trouble: Record<BreakerState, number> = { open: 0, halfOpen: 1, closed: 2 }

/** The candidate servers as seen by each mirror that has not stopped: failing ones first, then by validation. */
export function candidateRows({ mirrors }: MirrorsView): CandidateRow[] {
  return mirrors
    .filter(({ state }) => state !== 'stopped')
    .flatMap(({ name, state, candidates }) =>
      candidates.map((candidate) => ({ ...candidate, mirror: name, isOld: state === 'silent' })),
    )
    .sort(
      (a, b) =>
        trouble[a.breaker] - trouble[b.breaker] ||
        a.validation.localeCompare(b.validation) ||
        a.mirror.localeCompare(b.mirror),
    )
}
