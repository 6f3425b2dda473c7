import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { legs } from '../../../../vocabulary/leg.ts'
import { axisTicks } from '../charts/axes/axis-ticks.ts'
import { roundTicks } from '../charts/axes/round-ticks.ts'
import type { ChartTableData } from '../charts/frame/chart-table.tsx'
import { Downloads } from '../charts/frame/downloads.tsx'
import { formatMs } from '../format/number.ts'
import { stretchesOf } from './timings.ts'

/** As many as a narrow page has room for. */
const ticksMax = 3
const spell = axisTicks('ms')

/** Both legs on one scale that starts when each one's request was sent. */
export function TimingsSection({ observation }: { observation: ObservationDetail }) {
  const sides = legs.map((leg) => ({ leg, outcome: observation[leg], stretches: stretchesOf(observation[leg]) }))
  const all = sides.flatMap(({ stretches }) => stretches)
  const from = Math.min(0, ...all.map((stretch) => stretch.from))
  const to = Math.max(...all.map((stretch) => stretch.to), from + 1e-3)
  const share = (ms: number) => `${(100 * ms) / (to - from)}%`
  const place = (ms: number) => share(ms - from)
  const apart = observation.candidate.totalMs - observation.primary.totalMs
  const ticks = roundTicks(from, to, ticksMax)
  const isQueued = all.some(({ kind }) => kind === 'queued')
  return (
    <section class="section" aria-labelledby="timings">
      <div class="section-head">
        <h2 id="timings">Timings</h2>
        <p class="muted">
          {apart === 0
            ? 'Both took the same time.'
            : `The candidate took ${formatMs(Math.abs(apart))} ${apart < 0 ? 'less' : 'more'}.`}
        </p>
      </div>
      <div class="picture">
        <div class="timings" aria-hidden="true">
          {sides.map(({ leg, stretches }) => (
            <div key={leg} class="timing">
              <span class={`leg leg-${leg}`}>{leg}</span>
              <svg width="100%" height="20" aria-hidden="true">
                {stretches.map(({ kind, from, to }) => (
                  <rect
                    key={kind}
                    class={`stretch stretch-${kind} stretch-${leg}`}
                    x={place(from)}
                    width={share(to - from)}
                    y="3"
                    height="14"
                  />
                ))}
                <line class="pair-zero" x1={place(0)} x2={place(0)} y1="0" y2="20" />
              </svg>
            </div>
          ))}
          <div class="timing timing-axis">
            <span />
            <div>
              {ticks.map((tick, index) => (
                <span key={tick} style={{ left: place(tick) }}>
                  {tick === 0 ? 'sent' : spell(tick, index, ticks)}
                </span>
              ))}
            </div>
          </div>
        </div>
        <p class="muted timings-note">
          Pale up to the first byte, solid up to the last, from when the request was sent
          {isQueued && '; outlined before that, its time in the mirror’s queue'}.
        </p>
        <table class="compact timings-table">
          <thead>
            <tr>
              <th scope="col">Side</th>
              <th scope="col" class="numeric">
                In mirror queue
              </th>
              <th scope="col" class="numeric">
                First byte
              </th>
              <th scope="col" class="numeric">
                Last byte
              </th>
              <th scope="col" class="numeric">
                Status
              </th>
            </tr>
          </thead>
          <tbody>
            {sides.map(({ leg, outcome }) => (
              <tr key={leg}>
                <th scope="row">
                  <span class={`leg leg-${leg}`}>{leg}</span>
                </th>
                <td class="numeric">{outcome.queuedMs === null ? '–' : formatMs(outcome.queuedMs)}</td>
                <td class="numeric">{outcome.ttfbMs === undefined ? '–' : formatMs(outcome.ttfbMs)}</td>
                <td class="numeric">{formatMs(outcome.totalMs)}</td>
                <td class="numeric">{outcome.status ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <Downloads title="Timings" table={() => tableOf(observation)} />
      </div>
    </section>
  )
}

function tableOf(observation: ObservationDetail): ChartTableData {
  const ms = (value: number | null | undefined) => ({ text: '', value: value ?? null })
  return {
    columns: ['Side', 'In mirror queue, ms', 'First byte, ms', 'Last byte, ms', 'Status'],
    rows: legs.map((leg) => {
      const { queuedMs, ttfbMs, totalMs, status } = observation[leg]
      return [leg, ms(queuedMs), ms(ttfbMs), ms(totalMs), ms(status)]
    }),
  }
}
