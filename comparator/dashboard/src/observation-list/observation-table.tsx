import type { ObservationView } from '../../../../vocabulary/api/observation-view.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { ObservationRow } from './observation-row.tsx'

interface ObservationTableProps {
  caption: string
  observations: ObservationView[]
  kind: OutputKind
  hrefOf: (id: string) => string
  /** Called before the reader follows a link to an observation. */
  leave?: (id: string) => void
}

/** Both answers of each observation in a row; the whole row links to the two side by side. */
export function ObservationTable({ caption, observations, kind, hrefOf, leave }: ObservationTableProps) {
  // then the candidate's column says why, and there is no difference to show
  const failed = observations.every(({ comparison }) => comparison === 'failed')
  const withTruth = observations.some(({ truth }) => truth !== null)
  const apartSpan = withTruth ? 1 : 2
  return (
    <table class="observations">
      <caption class="visually-hidden">{caption}</caption>
      {/* the same for all tables of a page; a missing column's room goes to the one before it */}
      <colgroup>
        <col class="col-input" />
        <col span={2} />
        <col class="col-apart" />
        <col class="col-truth" />
        <col class="col-latency" />
        <col class="col-at" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">Input</th>
          <th scope="col">
            <span class="leg leg-primary">Primary</span>
          </th>
          <th scope="col" colSpan={failed ? 1 + apartSpan : 1}>
            <span class="leg leg-candidate">Candidate</span>
          </th>
          {!failed && (
            <th scope="col" colSpan={apartSpan}>
              Apart
            </th>
          )}
          {withTruth && <th scope="col">Truth</th>}
          <th scope="col" class="numeric">
            Latency
          </th>
          <th scope="col" class="numeric">
            At, UTC
          </th>
        </tr>
      </thead>
      <tbody>
        {observations.map((observation) => (
          <ObservationRow
            key={observation.id}
            {...{ observation, kind, failed, hrefOf, leave, withTruth, apartSpan }}
          />
        ))}
      </tbody>
    </table>
  )
}
