import type { OutputKind } from '../../../../vocabulary/output-kind.ts'
import { labelledKinds } from '../accuracy/labels-awaited.ts'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { bringIntoSight } from '../routing/use-anchor.ts'

/** A word for each of the page's sections, by the id of its heading. */
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

/** The way to what lies far below: which requests show the difference is seven screens down. */
export function PageContents({ route, kind }: { route: ValidationRoute; kind: OutputKind }) {
  const shown = Object.entries(sections).filter(([id]) => id !== 'accuracy' || labelledKinds.includes(kind))
  return (
    <nav class="page-contents" aria-label="On this page">
      {shown.map(([id, word]) => (
        <a
          key={id}
          href={formatRoute({ ...route, at: id })}
          // the address may be there already, and its reader elsewhere
          onClick={() => bringIntoSight(id)}
        >
          {word}
        </a>
      ))}
    </nav>
  )
}
