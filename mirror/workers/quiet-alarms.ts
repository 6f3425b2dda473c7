import type { Logger } from '../../runtime/logger.ts'
import type { Alarm } from '../routing/quiet-routes.ts'

/** Each worker sees only part of the traffic: nothing arrives if all of them say so, since the last of them did. */
export function commonAlarms(ofWorkers: readonly (readonly Alarm[])[]): Alarm[] {
  const [first = [], ...others] = ofWorkers
  return first.flatMap((alarm) => {
    const same = others.map((alarms) => alarms.find(({ validation }) => validation === alarm.validation))
    if (!same.every((other) => other !== undefined)) return []
    return [[alarm, ...same].reduce((last, next) => (next.since > last.since ? next : last))]
  })
}

/** Logs one line when an alarm begins and one when it ends. */
export function alarmLog(logger: Logger): (alarms: readonly Alarm[]) => void {
  let known = new Map<string, Alarm>()
  return (alarms) => {
    const now = new Map(alarms.map((alarm) => [alarm.validation, alarm]))
    for (const [validation, { message, ...alarm }] of now) if (!known.has(validation)) logger.warn(alarm, message)
    for (const [validation, { route }] of known) {
      if (!now.has(validation)) logger.info({ validation, route }, 'exchanges arrive again')
    }
    known = now
  }
}
