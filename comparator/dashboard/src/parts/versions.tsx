import type { ValidationView } from '../../../../vocabulary/api.ts'

/** Which model is measured against which. */
export function Versions({ versions }: { versions: ValidationView['versions'] }) {
  return (
    <span class="versions">
      <span class="leg leg-primary">primary {versions.primary ?? 'not seen yet'}</span>
      <span class="leg leg-candidate" title={versions.candidateDigest ?? undefined}>
        candidate {versions.candidate ?? 'not seen yet'}
        {versions.candidateDigest && <code> {shortDigest(versions.candidateDigest)}</code>}
      </span>
    </span>
  )
}

function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 10)
}
