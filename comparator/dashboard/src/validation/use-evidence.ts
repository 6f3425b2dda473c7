import { useEffect, useMemo, useState } from 'preact/hooks'
import type { FunnelView } from '../../../../vocabulary/api/funnel.ts'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { TimelineView } from '../../../../vocabulary/api/timeline.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { EvidenceWindowView } from '../../../../vocabulary/api/windows.ts'
import { serverNow } from '../api/server-clock.ts'
import { type Polled, usePolled } from '../api/use-polled.ts'
import type { TimeMarker } from '../charts/frame/marker-marks.ts'
import type { ValidationRoute } from '../routing/hash-route.ts'
import { rangeEntries, rangeQuery } from '../routing/range.ts'

/** A window of a day or more changes too slowly to be polled every two seconds. */
const slowFrom = 24 * 3_600_000
const everyMs = { fast: 2_000, verdict: 5_000, slow: 15_000, rare: 30_000 }

interface Evidence {
  validation: Polled<ValidationView>
  gate: Polled<GateEvaluation>
  metrics: Polled<MetricsView>
  funnel: Polled<FunnelView>
  windows: Polled<EvidenceWindowView[]>
  markers: readonly TimeMarker[]
}

/** Everything shown on a validation's page, kept live. */
export function useEvidence({ name, range, slice, output }: ValidationRoute): Evidence {
  const base = `/v1/validations/${encodeURIComponent(name)}`
  const [isSlow, setSlow] = useState(false)
  const pace = isSlow ? everyMs.slow : everyMs.fast
  const verdictPace = Math.min(pace, everyMs.verdict)
  const validation = usePolled<ValidationView>(base, () => base, verdictPace)
  const gate = usePolled<GateEvaluation>(`${base}/gate`, () => `${base}/gate`, verdictPace)
  const durationMs = validation.data?.window.durationMs ?? 0
  useEffect(() => setSlow(durationMs >= slowFrom), [durationMs])
  const cut = Object.entries({ slice, output }).flatMap(([key, value]) => (value === null ? [] : [[key, value]]))
  const metricsKey = `${base}/metrics ${new URLSearchParams([...rangeEntries(range), ...cut])}`
  const metrics = usePolled<MetricsView>(
    metricsKey,
    () => `${base}/metrics${query([...rangeQuery(range, serverNow()), ...cut])}`,
    pace,
  )
  const funnel = usePolled<FunnelView>(`${base}/funnel`, () => `${base}/funnel`, Math.max(pace, 5_000))
  const windows = usePolled<{ windows: EvidenceWindowView[] }>(
    changeOf(`${base}/windows`, validation.data),
    () => `${base}/windows`,
    everyMs.rare,
  )
  const timeline = usePolled<TimelineView>(
    changeOf(`${base}/timeline`, validation.data),
    () => `${base}/timeline`,
    everyMs.rare,
  )
  const windowList = useMemo(
    () => ({ ...windows, data: windows.data?.windows ?? null }),
    [windows.data, windows.problem],
  )
  const markers = useMemo(
    () => (timeline.data?.events ?? []).map(({ at, kind, label }): TimeMarker => ({ at: Date.parse(at), kind, label })),
    [timeline.data],
  )
  return { validation, gate, metrics, funnel, windows: windowList, markers }
}

/**
 * Changes when the validation reports a new rollout step or window, so that both appear at once; `null` until it has
 * loaded.
 */
function changeOf(path: string, validation: ValidationView | null): string | null {
  if (validation === null) return null
  const { state, livePercent, versions } = validation
  return `${path} ${JSON.stringify([state, livePercent, versions])}`
}

function query(entries: string[][]): string {
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}
