import type { AuditEntry } from '../../../../vocabulary/api/audit.ts'
import type { AuditOverview } from '../../../../vocabulary/api/audit-overview.ts'
import { usePages } from '../api/use-pages.ts'
import { usePolled } from '../api/use-polled.ts'
import { useFocusOnNew } from '../loaded-list/use-focus-on-new.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { useNow } from '../parts/use-now.ts'
import { usePageTitle } from '../parts/use-page-title.ts'
import { type AuditRoute, auditHref, formatRoute } from '../routing/hash-route.ts'
import { AuditEntryLine } from './audit-entry.tsx'
import { auditPath } from './audit-path.ts'
import { byDay, dayTitle } from './by-day.ts'
import { ChainState } from './chain-state.tsx'

const overviewPath = '/v1/audit/overview'
const itemsOf = (answer: { entries: AuditEntry[]; nextCursor: string | null }) => answer.entries

/** Who did what, newest first, by day. Nothing here can be changed. */
export function AuditPage({ route }: { route: AuditRoute }) {
  const overview = usePolled<AuditOverview>(overviewPath, () => overviewPath)
  usePageTitle('Audit')
  return (
    <>
      <header class="page-head">
        <h1>Audit</h1>
        <p class="lead">Every action that moved, or could have moved, live traffic.</p>
      </header>
      {overview.data && <ChainState chain={overview.data.chain} />}
      <Filters route={route} overview={overview.data} />
      {/* a different question starts a new list */}
      <Timeline key={formatRoute(route)} route={route} />
    </>
  )
}

function Filters({ route, overview }: { route: AuditRoute; overview: AuditOverview | null }) {
  const choose = (change: Partial<AuditRoute>) => location.replace(formatRoute({ ...route, ...change }))
  return (
    <fieldset class="audit-filters">
      <legend class="visually-hidden">Which entries</legend>
      <Choice
        label="Validation"
        all="All validations"
        value={route.validation}
        names={overview?.validations ?? []}
        choose={(validation) => choose({ validation })}
      />
      <Choice
        label="Who"
        all="Everyone"
        value={route.actor}
        names={overview?.actors ?? []}
        choose={(actor) => choose({ actor })}
      />
      {(route.validation ?? route.actor) !== null && <a href={auditHref()}>Show all</a>}
    </fieldset>
  )
}

interface ChoiceProps {
  label: string
  all: string
  value: string | null
  names: string[]
  choose: (value: string | null) => void
}

function Choice({ label, all, value, names, choose }: ChoiceProps) {
  // the address may name someone who has no entries
  const known = value === null || names.includes(value) ? names : [value, ...names]
  return (
    <label class="picker">
      <span>{label}</span>
      <select value={value ?? ''} onChange={(event) => choose(event.currentTarget.value || null)}>
        <option value="">{all}</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Timeline({ route }: { route: AuditRoute }) {
  const list = usePages(auditPath(route), itemsOf)
  const focusOnNew = useFocusOnNew(list.items, ({ id }) => `entry-${id}`)
  const today = useToday()
  const isFiltered = (route.validation ?? route.actor) !== null
  return (
    <>
      <RefreshProblem polled={{ problem: list.problem, confirmedAt: list.confirmedAt, refresh: list.restart }} />
      {list.items === null && list.problem === null && <Loading what="the audit" />}
      {list.items?.length === 0 && (
        <EmptyState title={isFiltered ? 'No matching entries' : 'Nothing has happened yet'} heading="h2">
          {isFiltered
            ? 'No one has done anything that matches this filter.'
            : 'Requests, approvals, rollout steps and rollbacks are written here as they happen.'}
        </EmptyState>
      )}
      {list.items && (
        <div class="timeline">
          {byDay(list.items).map(({ day, entries }) => (
            <section key={day} class="day" aria-labelledby={`day-${day}`}>
              <h2 id={`day-${day}`}>{dayTitle(day, today)}</h2>
              <ol>
                {entries.map((entry) => (
                  <AuditEntryLine key={entry.id} entry={entry} />
                ))}
              </ol>
            </section>
          ))}
        </div>
      )}
      {list.nextCursor !== null && (
        <button
          class="button load-more"
          type="button"
          onClick={() => {
            focusOnNew()
            list.loadMore()
          }}
        >
          Load earlier entries
        </button>
      )}
    </>
  )
}

/** When today began in UTC; changes once a day. */
function useToday(): number {
  const now = useNow()
  return now - (now % 86_400_000)
}
