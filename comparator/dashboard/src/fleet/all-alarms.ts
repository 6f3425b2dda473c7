import type { MirrorAlarm, MirrorsView } from '../../../../vocabulary/mirrors.ts'

/** `mirror`: who raises it; `null` where it is the comparator. */
export type RaisedAlarm = MirrorAlarm & { mirror: string | null }

/**
 * Every alarm once, the longest first. That nothing arrives for a validation at all says more than a mirror that says
 * it for its own route. What a mirror said before it stopped is over.
 */
export function allAlarms({ mirrors, alarms }: MirrorsView): RaisedAlarm[] {
  const quiet = new Set(alarms.filter(({ code }) => code === 'NOTHING_ARRIVING').map(({ validation }) => validation))
  const ofMirrors = mirrors
    .filter(({ state }) => state !== 'stopped')
    .flatMap((mirror) => mirror.alarms.map((alarm) => ({ ...alarm, mirror: mirror.name })))
    .filter(({ code, validation }) => code !== 'NOTHING_ARRIVING' || !quiet.has(validation))
  const all = [...alarms.map((alarm) => ({ ...alarm, mirror: null })), ...ofMirrors]
  return all.sort((a, b) => a.since.localeCompare(b.since) || a.code.localeCompare(b.code))
}
