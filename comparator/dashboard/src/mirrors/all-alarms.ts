import type { MirrorAlarm, MirrorsView } from '../../../../vocabulary/mirrors.ts'

/** `mirror`: which mirror raised it; `null` for the comparator. */
export type RaisedAlarm = MirrorAlarm & { mirror: string | null }

/**
 * Every alarm once, longest first. The comparator's alarm that nothing arrives for a validation replaces a mirror's
 * alarm for its own route. Alarms of mirrors that have stopped are dropped.
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
