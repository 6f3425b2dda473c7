import { useRef } from 'preact/hooks'
import { useSaid } from './use-said.ts'

/** Text to paste. `fresh` regenerates it when it is copied, if the text shown may be out of date. */
export function Snippet({ title, text, fresh }: { title: string; text: string; fresh?: () => string }) {
  const shown = useRef<HTMLPreElement>(null)
  const [said, say] = useSaid()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(fresh?.() ?? text)
      say('Copied.')
    } catch {
      // pages without TLS have no clipboard API; the text is selected so that a key can copy it
      getSelection()?.selectAllChildren(shown.current!)
      say('Selected: press Ctrl+C or ⌘C.')
    }
  }
  return (
    <div class="snippet" data-testid={`snippet-${title}`}>
      <div class="snippet-head">
        <span>{title}</span>
        <span class="snippet-said" role="status">
          {said}
        </span>
        <button class="button button-quiet" type="button" onClick={copy}>
          Copy<span class="visually-hidden"> {title}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre ref={shown} tabIndex={0}>
        {text}
      </pre>
    </div>
  )
}
