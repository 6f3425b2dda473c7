import type { MirrorsView } from '../../../../vocabulary/mirrors.ts'
import { useMirrors } from './mirrors-context.tsx'
import { mirrorsSummary } from './mirrors-summary.ts'

/** Mirrors and candidate servers in one line: what the validations below depend on. */
export function MirrorsLine() {
  const { data, problem } = useMirrors()
  if (data === null) return null
  return (
    <section
      class={problem === null ? 'mirrors-line' : 'mirrors-line mirrors-line-old'}
      aria-label="Mirrors and candidate servers"
      data-testid="mirrors-line"
    >
      {data.mirrors.length === 0 ? <p class="no-data">No mirror has reported within a day.</p> : <Facts view={data} />}
      <a href="#/mirrors">
        Details<span class="visually-hidden"> of mirrors and candidate servers</span>
      </a>
    </section>
  )
}

function Facts({ view }: { view: MirrorsView }) {
  return (
    <dl>
      {mirrorsSummary(view).map(({ name, text, warns }) => (
        <div key={name} class={warns ? 'fact-warns' : undefined}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
