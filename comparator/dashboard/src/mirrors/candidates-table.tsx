import { formatCount } from '../format/number.ts'
import { shortDigest } from '../format/words.ts'
import { Age } from '../parts/age.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { validationHref } from '../routing/hash-route.ts'
import { BreakerMark } from './breaker-mark.tsx'
import type { CandidateRow } from './candidate-rows.ts'

/** Each candidate server as seen by each mirror. */
export function CandidatesTable({ rows, unknown }: { rows: CandidateRow[]; unknown: Set<string | null> }) {
  if (rows.length === 0) return <p class="no-data">No running mirror has a candidate on its routes.</p>
  return (
    <div class="candidates-table">
      <table class="candidates stacks">
        <caption class="visually-hidden">Candidate servers as each mirror sees them</caption>
        <thead>
          <tr>
            <th scope="col">Validation</th>
            <th scope="col">Breaker</th>
            <th scope="col">Candidate server</th>
            <th scope="col" class="numeric">
              In flight
            </th>
            <th scope="col" class="numeric">
              Queued
            </th>
            <th scope="col">Last answer</th>
            <th scope="col">Version</th>
            <th scope="col">Seen from</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={`${row.mirror} ${row.validation} ${row.url}`} row={row} isKnown={!unknown.has(row.validation)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ row, isKnown }: { row: CandidateRow; isKnown: boolean }) {
  const { validation, breaker, url, route, inFlight, queued, lastAnswerAt, version, digest, mirror, isOld } = row
  return (
    <tr class={isOld ? 'row-old' : undefined}>
      <th scope="row">{isKnown ? <a href={validationHref(validation)}>{validation}</a> : validation}</th>
      <td data-label="Breaker">
        <BreakerMark breaker={breaker} />
      </td>
      <td data-label="Candidate server">
        <code>{url}</code>
        <span class="cell-note">
          on <code>{route}</code>
        </span>
      </td>
      <td class="numeric" data-label="In flight">
        {formatCount(inFlight)}
      </td>
      <td class="numeric" data-label="Queued">
        {formatCount(queued)}
      </td>
      <td data-label="Last answer" class="cell-age">
        {lastAnswerAt === null ? <span class="no-data">none yet</span> : <Age at={lastAnswerAt} />}
      </td>
      <td data-label="Version">
        {version === null ? <span class="no-data">not reported</span> : <VisibleText text={version} inline />}
        {digest !== null && (
          <code class="cell-note" title={digest}>
            {shortDigest(digest)}
          </code>
        )}
      </td>
      <td data-label="Seen from">
        <VisibleText text={mirror} inline />
        {isOld && <span class="cell-note">as last reported</span>}
      </td>
    </tr>
  )
}
