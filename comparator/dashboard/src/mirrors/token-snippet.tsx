import { Snippet } from '../parts/snippet.tsx'
import { tokenCommand } from './mirror-config.ts'

/** How to create a mirror's token. */
export function TokenSnippet() {
  return (
    <>
      <p>
        It delivers with a token of role ingest, of which the comparator stores only the digest. This makes one and
        prints its line for <code>comparator.tokens</code>: add the line and restart the comparator. If you already have
        a token, export that instead.
      </p>
      <Snippet title="a token" text={tokenCommand} />
    </>
  )
}
