import * as Plot from '@observablehq/plot'
import { useCallback } from 'preact/hooks'
import { formatCompact, formatCount, formatShare } from '../../format/number.ts'
import { formatUtc, formatZones } from '../../format/time.ts'
import { timeMargins, utcAxis } from '../axes/utc-axis.ts'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { useTimeAxis } from '../frame/range-context.ts'
import { tipBox } from '../frame/tip-box.ts'

interface LabelStep {
  at: Date
  to: Date
  labelled: number
  awaited: number
}

const whole = ({ labelled, awaited }: LabelStep) => labelled + awaited

/**
 * Per step, how many exchanges have a label and, stacked on top, how many still wait for one. `steps` must be stable.
 */
export function LabelsChart({ steps }: { steps: readonly LabelStep[] }) {
  const time = useTimeAxis()
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const last = steps.at(-1)
      const bar = { x1: 'at', x2: 'to', insetLeft: 0.5, insetRight: 0.5 } as const
      return {
        ...timeMargins,
        x: utcAxis([...steps.map(({ at }) => at), ...(last ? [last.to] : [])], width),
        y: { label: null, grid: true, ticks: 4, zero: true, tickFormat: (count: number) => formatCompact(count) },
        marks: [
          Plot.rect(steps, { ...bar, y1: 0, y2: 'labelled', className: 'mark-labelled' }),
          Plot.rect(steps, { ...bar, y1: 'labelled', y2: whole, className: 'mark-awaited' }),
          Plot.ruleY([0], { className: 'mark-base' }),
          Plot.tip(
            steps,
            Plot.pointerX({
              x: (step: LabelStep) => new Date((step.at.getTime() + step.to.getTime()) / 2),
              y: whole,
              title: (step: LabelStep) =>
                `${formatZones(step.at).join('\n')}\n${formatCount(step.labelled)} labelled${whole(step) > 0 ? `, ${formatShare(step.labelled / whole(step))}` : ''}\n${formatCount(step.awaited)} awaited`,
              ...tipBox,
            }),
          ),
        ],
      }
    },
    [steps],
  )
  const labelled = steps.reduce((sum, step) => sum + step.labelled, 0)
  const awaited = steps.reduce((sum, step) => sum + step.awaited, 0)
  return (
    <PlotFigure
      {...time}
      title="Labels, by the exchange’s time"
      summary={`Labels over time: ${formatCount(labelled)} exchanges are labelled, ${formatCount(awaited)} wait for their label.`}
      height={240}
      options={options}
      legend={
        <ul class="legend">
          <li class="key key-labelled">labelled</li>
          <li class="key key-awaited">awaited</li>
        </ul>
      }
      table={() => ({
        columns: ['Time, UTC', 'Labelled', 'Awaited'],
        rows: steps.map(({ at, labelled, awaited }) => [
          { text: formatUtc(at), value: at.toISOString() },
          { text: formatCount(labelled), value: labelled },
          { text: formatCount(awaited), value: awaited },
        ]),
      })}
    />
  )
}
