import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { shortDigest } from '../format/words.ts'
import { VisibleText } from './visible-text.tsx'

/** Which models are compared. */
export function Versions({ versions }: { versions: ValidationView['versions'] }) {
  return (
    <span class="versions">
      <span class="leg leg-primary">
        primary <VisibleText text={versions.primary ?? 'version not reported'} inline />
      </span>
      <span class="leg leg-candidate" title={versions.candidateDigest ?? undefined}>
        candidate <VisibleText text={versions.candidate ?? 'version not reported'} inline />
        {versions.candidateDigest && <code> {shortDigest(versions.candidateDigest)}</code>}
      </span>
    </span>
  )
}
