import { EmptyState } from '../parts/empty-state.tsx'
import { Snippet } from '../parts/snippet.tsx'
import { mirrorConfig } from './mirror-config.ts'
import { TokenSnippet } from './token-snippet.tsx'

export function NoMirror() {
  return (
    <EmptyState title="No mirror has reported yet" heading="h3">
      <p>
        A mirror stands in front of your app server, forwards every request to it, and sends copies to candidates. It
        appears here within five seconds of its start.
      </p>
      <TokenSnippet />
      <Snippet title="mirror.yaml" text={mirrorConfig(location.origin, 'my-candidate')} />
    </EmptyState>
  )
}
