import { AlarmIcon } from '../parts/alarm-icon.tsx'
import { Elapsed } from '../parts/elapsed.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { validationHref } from '../routing/hash-route.ts'
import { alarmTitle } from './alarm-words.ts'
import type { RaisedAlarm } from './all-alarms.ts'

/** What needs attention, longest first. */
export function AlarmList({ alarms }: { alarms: RaisedAlarm[] }) {
  return (
    <section class="section" aria-labelledby="alarms">
      <h2 id="alarms">Alarms</h2>
      <ul class="alarms">
        {alarms.map((alarm) => (
          <li key={alarmKey(alarm)} class="alarm" data-testid={`alarm-${alarm.code}`}>
            <AlarmIcon />
            <AlarmText alarm={alarm} />
          </li>
        ))}
      </ul>
    </section>
  )
}

export const alarmKey = ({ code, validation, mirror }: RaisedAlarm) => `${code} ${validation} ${mirror}`

export function AlarmText({ alarm: { code, validation, since, message, mirror } }: { alarm: RaisedAlarm }) {
  return (
    <div class="alarm-text">
      <p class="alarm-head">
        <strong>{alarmTitle(code)}</strong>
        {validation !== null && code !== 'UNKNOWN_VALIDATION' && <a href={validationHref(validation)}>{validation}</a>}
        <span class="alarm-since">
          {mirror !== null && (
            <>
              <VisibleText text={mirror} inline />,{' '}
            </>
          )}
          for <Elapsed since={since} />
        </span>
      </p>
      <p>
        <VisibleText text={message} inline />
      </p>
    </div>
  )
}
