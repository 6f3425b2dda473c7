import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { labelledKinds } from '../accuracy/labels-awaited.ts'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { bringIntoSight } from '../routing/use-anchor.ts'

/** A short title for each of the page's sections, by the id of its heading. */
const sections = {
  checks: 'Checks',
  funnel: 'Traffic',
  'over-time': 'Drift',
  latency: 'Latency',
  outputs: 'Answers',
  accuracy: 'Truth',
  slices: 'Slices',
  disagreements: 'Disagreements',
  policy: 'Policy',
}

/** Links to the sections further down: the observations that show the difference are seven screens below. */
export function PageContents({ route, kind }: { route: ValidationRoute; kind: OutputKind }) {
  const shown = Object.entries(sections).filter(([id]) => id !== 'accuracy' || labelledKinds.includes(kind))
  return (
    <nav class="page-contents" aria-label="On this page">
      {shown.map(([id, word]) => (
        <a
          key={id}
          href={formatRoute({ ...route, at: id })}
          // the address may already be this one while the reader has scrolled elsewhere
          onClick={() => bringIntoSight(id)}
        >
          {word}
        </a>
      ))}
    </nav>
  )
}
