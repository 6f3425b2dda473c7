import { tokenCommand } from './mirror-config.ts'
import { Snippet } from './snippet.tsx'

/** How to create a mirror's token. */
export function TokenSnippet() {
  return (
    <>
      <p>
        It delivers with a token of the role ingest, of which the comparator knows the digest alone. This makes one, and
        prints its line for <code>comparator.tokens</code>; restart the comparator with it. Where you have one, export
        that instead.
      </p>
      <Snippet title="a token" text={tokenCommand} />
    </>
  )
}
