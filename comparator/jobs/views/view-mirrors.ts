import type { ArrivingView } from '../../../vocabulary/api/arriving.ts'
import type { MirrorAlarm, MirrorsView, MirrorView } from '../../../vocabulary/mirrors.ts'
import { mirrorKeptMs, mirrorSilentMs } from '../../../vocabulary/report-pace.ts'
import { hourMs } from '../../../vocabulary/units.ts'
import { listMirrors } from '../../store/intake/mirrors.ts'
import type { Comparator } from '../comparator.ts'
import { mergeWorkers } from './merge-workers.ts'

/** A mirror that was stopped is not shown for as long as a silent one. */
const stoppedKept = hourMs

export async function viewMirrors(comparator: Comparator): Promise<MirrorsView> {
  const { db, clock, validations } = comparator
  const now = clock.now()
  const rows = Map.groupBy(await listMirrors(db), ({ name }) => name)
  const mirrors = [...rows.values()]
    .map((workers) => mergeWorkers(workers, now - mirrorSilentMs))
    .filter(({ state, lastReportAt }) => {
      const age = now - Date.parse(lastReportAt)
      return age < (state === 'stopped' ? stoppedKept : mirrorKeptMs)
    })
    .map((mirror) => ({
      ...mirror,
      alarms: [...silenceAlarms(mirror), ...mirror.alarms, ...unknownValidationAlarms(mirror, validations)],
    }))
  return {
    mirrors,
    alarms: [...validations.keys()].flatMap((name) => quietAlarms(name, comparator.arrivals.view(name))),
  }
}

function silenceAlarms({ state, name, lastReportAt }: MirrorView): MirrorAlarm[] {
  if (state !== 'silent') return []
  const message = `${name} stopped reporting without a shutdown notice. Check that it runs and can reach this comparator.`
  return [{ code: 'MIRROR_SILENT', validation: null, since: lastReportAt, message }]
}

/** Alarms for validations that the mirror sends evidence for but that are not configured here. */
function unknownValidationAlarms(
  { candidates, startedAt }: MirrorView,
  known: ReadonlyMap<string, unknown>,
): MirrorAlarm[] {
  const names = new Set(candidates.map(({ validation }) => validation).filter((name) => !known.has(name)))
  return [...names].map((validation) => ({
    code: 'UNKNOWN_VALIDATION',
    validation,
    since: startedAt,
    message: `It mirrors for ${validation}, which this comparator does not know, so its observations are refused. Check that both configs spell the name the same.`,
  }))
}

function quietAlarms(validation: string, { quietSince, mirror }: ArrivingView): MirrorAlarm[] {
  if (quietSince === null) return []
  const message =
    mirror === null
      ? `Nothing is arriving for ${validation}, and no mirror reports that it mirrors for it.`
      : `Nothing is arriving for ${validation}. Its mirror reports, but sees no requests on ${mirror.route}.`
  return [{ code: 'NOTHING_ARRIVING', validation, since: quietSince, message }]
}
