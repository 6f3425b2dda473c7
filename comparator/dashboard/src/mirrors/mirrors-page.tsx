import type { MirrorsView, MirrorView } from '../../../../vocabulary/mirrors.ts'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { AlarmList } from './alarm-list.tsx'
import { allAlarms, type RaisedAlarm } from './all-alarms.ts'
import { candidateRows } from './candidate-rows.ts'
import { CandidatesTable } from './candidates-table.tsx'
import { MirrorPanel } from './mirror-panel.tsx'
import { useMirrors } from './mirrors-context.tsx'
import { NoMirror } from './no-mirror.tsx'

/** The mirrors that report to this comparator, what is late or wrong, and the candidate servers that they reach. */
export function MirrorsPage() {
  const polled = useMirrors()
  usePageTitle('Mirrors')
  const view = polled.data
  const alarms = view === null ? [] : allAlarms(view)
  return (
    <>
      <header class="page-head">
        <h1>Mirrors and candidate servers</h1>
        <p class="lead" role="status">
          {view === null ? ' ' : summaryOf(view, alarms.length)}
        </p>
      </header>
      <RefreshProblem polled={polled} />
      {view === null && polled.problem === null && <Loading what="mirrors" height={288} />}
      {view !== null && (
        <div class={polled.problem === null ? 'mirrors' : 'mirrors mirrors-old'}>
          {alarms.length > 0 && <AlarmList alarms={alarms} />}
          <section class="section" aria-labelledby="mirrors">
            <h2 id="mirrors">Mirrors</h2>
            {view.mirrors.length === 0 ? (
              <NoMirror />
            ) : (
              byState(view.mirrors).map((mirror) => <MirrorPanel key={mirror.name} mirror={mirror} />)
            )}
          </section>
          {view.mirrors.length > 0 && (
            <section class="section" aria-labelledby="candidates">
              <h2 id="candidates">Candidate servers</h2>
              <CandidatesTable rows={candidateRows(view)} unknown={unknownIn(alarms)} />
            </section>
          )}
        </div>
      )}
    </>
  )
}

const order: readonly MirrorView['state'][] = ['silent', 'reporting', 'stopped']

function byState(mirrors: readonly MirrorView[]): MirrorView[] {
  return mirrors.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.name.localeCompare(b.name))
}

function summaryOf({ mirrors }: MirrorsView, alarms: number): string {
  if (mirrors.length === 0) return 'No mirror reports to this comparator.'
  const count = (wanted: string) => mirrors.filter(({ state }) => state === wanted).length
  const parts = [
    [count('reporting'), count('reporting') === 1 ? 'mirror reports' : 'mirrors report'],
    [count('silent'), count('silent') === 1 ? 'is silent' : 'are silent'],
    [count('stopped'), 'stopped'],
    [alarms, alarms === 1 ? 'alarm' : 'alarms'],
  ] as const
  return `${parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(', ')}.`
}

/** Validations that this comparator does not have, so there is no page to link to. */
function unknownIn(alarms: readonly RaisedAlarm[]): Set<string | null> {
  return new Set(alarms.filter(({ code }) => code === 'UNKNOWN_VALIDATION').map(({ validation }) => validation))
}
