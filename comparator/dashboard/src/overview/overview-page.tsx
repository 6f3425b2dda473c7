import { useState } from 'preact/hooks'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { usePolled } from '../api/use-polled.ts'
import { FirstRun } from '../first-run/first-run.tsx'
import { AlarmText, alarmKey } from '../mirrors/alarm-list.tsx'
import { allAlarms, type RaisedAlarm } from '../mirrors/all-alarms.ts'
import { useMirrors } from '../mirrors/mirrors-context.tsx'
import { MirrorsLine } from '../mirrors/mirrors-line.tsx'
import { AlarmIcon } from '../parts/alarm-icon.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { VerdictChanges } from '../parts/verdict-changes.tsx'
import { alarmsBeside, type Group, grouped, groupTitles, needOf, summaryOf } from './needs.ts'
import { ValidationRow } from './validation-row.tsx'

/** From this many on, there is a search by name, and validations that need nothing take one line each. */
const manyFrom = 20

export function OverviewPage() {
  const [sought, setSought] = useState('')
  const polled = usePolled<{ validations: ValidationView[] }>('validations', () => '/v1/validations')
  const mirrors = useMirrors()
  usePageTitle('Overview')
  const validations = polled.data?.validations ?? []
  const isMany = validations.length >= manyFrom
  const part = sought.trim().toLowerCase()
  const found = isMany ? validations.filter(({ name }) => name.toLowerCase().includes(part)) : validations
  const alarms = mirrors.data === null ? [] : alarmsBeside(validations, allAlarms(mirrors.data))
  // waits for the mirrors too, since their state appears above and within the rows: nothing moves afterwards
  const isReady = polled.data !== null && (mirrors.data !== null || mirrors.problem !== null)
  const isFirstRun = polled.data !== null && validations.every(({ lastObservationAt }) => lastObservationAt === null)
  return (
    <>
      <header class="page-head">
        <h1>Validations</h1>
        <p class="lead">
          {polled.data === null
            ? ' '
            : isFirstRun
              ? 'Waiting for the first pair.'
              : `${summaryOf(validations, alarms.length)}.`}
        </p>
      </header>
      <RefreshProblem polled={polled} />
      <VerdictChanges verdicts={validations} />
      {!isReady && polled.problem === null && <Loading what="validations" height={500} />}
      {isFirstRun && <FirstRun validations={validations} />}
      {isReady && validations.length > 0 && (
        <div class={polled.problem === null ? 'overview' : 'overview overview-old'} data-testid="validations">
          {!isFirstRun && <MirrorsLine />}
          {isMany && (
            <label class="picker overview-filter">
              <span>Name</span>
              <input
                type="search"
                value={sought}
                placeholder="a part of it"
                onInput={(event) => setSought(event.currentTarget.value)}
              />
              <span class="muted" role="status">
                {found.length < validations.length && `${found.length} of ${validations.length}`}
              </span>
            </label>
          )}
          {grouped(found, isFirstRun ? [] : alarms).map((group) => (
            <GroupSection key={group.name} group={group} isBrief={isMany && group.name === 'underWay'} />
          ))}
        </div>
      )}
    </>
  )
}

interface GroupSectionProps {
  group: Group<ValidationView>
  /** One line per validation. */
  isBrief: boolean
}

function GroupSection({ group: { name, validations, alarms }, isBrief }: GroupSectionProps) {
  // possible harm to clients comes before anything about the evidence
  const urgent = validations.filter((validation) => needOf(validation) === 'rollback')
  const others = validations.filter((validation) => !urgent.includes(validation))
  return (
    <section class="group" aria-labelledby={`group-${name}`}>
      <header class="group-head">
        <h2 id={`group-${name}`}>
          {groupTitles[name]} <span class="group-count">{validations.length + alarms.length}</span>
        </h2>
        <div class="group-columns" aria-hidden="true">
          <span>Deciding check and limit</span>
          <div class="row-figures">
            <span>Coverage</span>
            <span>Samples</span>
            <span>Time left</span>
            <span>Rollout</span>
          </div>
        </div>
      </header>
      <ul class={isBrief ? 'rows rows-brief' : 'rows'}>
        {urgent.map((validation) => (
          <ValidationRow key={validation.name} validation={validation} />
        ))}
        {alarms.map((alarm) => (
          <AlarmRow key={alarmKey(alarm)} alarm={alarm} />
        ))}
        {others.map((validation) => (
          <ValidationRow key={validation.name} validation={validation} />
        ))}
      </ul>
    </section>
  )
}

function AlarmRow({ alarm }: { alarm: RaisedAlarm }) {
  return (
    <li class="row row-alarm" data-testid={`alarm-${alarm.code}`}>
      <span class="verdict verdict-fail">
        <AlarmIcon />
        Alarm
      </span>
      <AlarmText alarm={alarm} />
    </li>
  )
}
