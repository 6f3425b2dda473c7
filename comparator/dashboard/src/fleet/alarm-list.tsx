import { AlarmIcon } from '../parts/alarm-icon.tsx'
import { Elapsed } from '../parts/elapsed.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { validationHref } from '../routing/hash-route.ts'
import { alarmTitle } from './alarm-words.ts'
import type { RaisedAlarm } from './all-alarms.ts'

/** What a person should look at, the longest first. */
export function AlarmList({ alarms }: { alarms: RaisedAlarm[] }) {
  return (
    <section class="section" aria-labelledby="alarms">
      <h2 id="alarms">Alarms</h2>
      <ul class="alarms">
        {alarms.map(({ code, validation, since, message, mirror }) => (
          <li key={`${code} ${validation} ${mirror}`} class="alarm" data-testid={`alarm-${code}`}>
            <AlarmIcon />
            <div class="alarm-text">
              <p class="alarm-head">
                <strong>{alarmTitle(code)}</strong>
                {validation !== null && code !== 'UNKNOWN_VALIDATION' && (
                  <a href={validationHref(validation)}>{validation}</a>
                )}
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
          </li>
        ))}
      </ul>
    </section>
  )
}
