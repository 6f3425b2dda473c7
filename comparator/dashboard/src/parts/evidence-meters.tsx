import type { WindowView } from '../../../../vocabulary/api/gate.ts'
import { limitValue } from '../format/limit-text.ts'
import { formatCount, formatShare } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'
import { Meter } from './meter.tsx'

/** The three things a window needs before it can pass: samples, duration, coverage. */
export function EvidenceMeters({ window }: { window: WindowView }) {
  const { samples, samplesMin, spannedMs, durationMs, coverage, coverageMin } = window
  return (
    <div class="evidence">
      <Meter
        label="Samples"
        have={formatCount(samples)}
        need={formatCount(samplesMin)}
        filled={samplesMin === 0 ? 1 : Math.min(1, samples / samplesMin)}
        enough={samples >= samplesMin}
      />
      <Meter
        label="Window"
        have={formatSpan(spannedMs)}
        need={formatSpan(durationMs)}
        filled={Math.min(1, spannedMs / durationMs)}
        enough={spannedMs >= durationMs}
      />
      <Meter
        label="Coverage"
        have={coverage === null ? 'no data' : formatShare(coverage, coverageMin)}
        need={limitValue(coverageMin, 'share')}
        filled={coverage}
        needAt={coverageMin}
        enough={coverage !== null && coverage >= coverageMin}
      />
    </div>
  )
}
