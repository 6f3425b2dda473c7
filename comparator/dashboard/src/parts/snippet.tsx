import { useRef, useState } from 'preact/hooks'

/** Text to paste. `fresh` regenerates it when it is copied, if the text shown may be out of date. */
export function Snippet({ title, text, fresh }: { title: string; text: string; fresh?: () => string }) {
  const shown = useRef<HTMLPreElement>(null)
  const [copied, setCopied] = useState<'no' | 'yes' | 'selected'>('no')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(fresh?.() ?? text)
      setCopied('yes')
    } catch {
      // pages without TLS have no clipboard API; the text is selected so that a key can copy it
      getSelection()?.selectAllChildren(shown.current!)
      setCopied('selected')
    }
    setTimeout(() => setCopied('no'), 4000)
  }
  return (
    <div class="snippet" data-testid={`snippet-${title}`}>
      <div class="snippet-head">
        <span>{title}</span>
        <button class="button button-quiet" type="button" onClick={copy} aria-label={`Copy ${title}`}>
          {copied === 'no' ? 'Copy' : copied === 'yes' ? 'Copied' : 'Selected: press Ctrl+C'}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre ref={shown} tabIndex={0}>
        {text}
      </pre>
    </div>
  )
}
