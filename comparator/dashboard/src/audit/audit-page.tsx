import type { AuditEntry } from '../../../../vocabulary/api.ts'
import { usePages } from '../api/use-pages.ts'
import { spaced } from '../format/words.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { validationHref } from '../routing/hash-route.ts'

const path = '/v1/audit?limit=50'
const itemsOf = (answer: { entries: AuditEntry[]; nextCursor: string | null }) => answer.entries

/** Who did what, newest first. Nothing here can be changed. */
export function AuditPage() {
  const list = usePages(path, itemsOf, false)
  usePageTitle('Audit')
  return (
    <>
      <header class="page-head">
        <h1>Audit</h1>
        <p class="lead">Every act that moved, or could have moved, live traffic. Newest first.</p>
      </header>
      <RefreshProblem polled={{ problem: list.problem, confirmedAt: list.confirmedAt, refresh: list.restart }} />
      {list.items === null && list.problem === null && <Loading what="the audit" />}
      {list.items?.length === 0 && (
        <EmptyState title="Nothing has happened yet" heading="h2">
          Requests, approvals, rollout steps and rollbacks are written here as they happen.
        </EmptyState>
      )}
      {list.items && list.items.length > 0 && (
        <table class="audit">
          <caption class="visually-hidden">Audit entries, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Time, UTC</th>
              <th scope="col">Who</th>
              <th scope="col">Did</th>
              <th scope="col">Validation</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {list.items.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      {list.nextCursor !== null && (
        <button class="button" type="button" onClick={list.loadMore}>
          Load more
        </button>
      )}
    </>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { comment, ...rest } = entry.details
  return (
    <tr>
      <td class="number">
        <Moment at={entry.at} />
      </td>
      <td>
        {entry.actor} {entry.role !== entry.actor && <span class="muted">· {entry.role}</span>}
      </td>
      <td>{spaced(entry.action).replace('.', ': ')}</td>
      <td>{entry.validation === null ? '–' : <a href={validationHref(entry.validation)}>{entry.validation}</a>}</td>
      <td>
        {typeof comment === 'string' && comment !== '' && <q>{comment}</q>}
        {Object.keys(rest).length > 0 && (
          <dl class="details">
            {Object.entries(rest).map(([key, value]) => (
              <div key={key}>
                <dt>{spaced(key)}</dt>
                <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </td>
    </tr>
  )
}
