import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import type { Dossier } from '../../../vocabulary/api/dossier.ts'
import type { CheckResult } from '../../../vocabulary/api/gate.ts'
import { evidenceChecks } from '../../../vocabulary/verdict.ts'
import { intervalScale } from '../../dashboard/src/charts/bars/interval-scale.ts'
import { distributionPlot } from '../../dashboard/src/charts/distribution/distribution-plot.ts'
import { driftPlot } from '../../dashboard/src/charts/over-time/drift-plot.ts'
import type { Unit } from '../../dashboard/src/metrics/metric-info.ts'
import { checkInfo, metricInfo } from '../../dashboard/src/metrics/metric-info.ts'
import { drawn, html, type Markup } from '../html.ts'

/** Two charts fit side by side on a sheet of A4. */
const width = 440
const height = 200
const chartsMax = 8

/** The charts behind a signature, drawn by the dashboard's own code: what the gate judged, and both sides' values. */
export function dossierCharts({ evaluation, metrics }: Dossier): Markup[] {
  if (!metrics || metrics.series.length === 0) return []
  const whole = evaluation.checks.filter(({ slice, relative }) => slice === undefined && relative === undefined)
  const judged = [...new Map(whole.map((check) => [check.metric, check])).values()]
    .filter(({ metric }) => !evidenceChecks.includes(metric) && metrics.bounds[metric]?.estimate != null)
    .slice(0, chartsMax)
  const { latency, output } = metrics.distributions
  return [
    ...judged.map(({ metric, limit }) =>
      figure(metricInfo(metric).label, 'estimate and bound over the window', {
        ...driftPlot({ metrics, metric, limit, height, width }),
      }),
    ),
    ...(latency ? [legsFigure('Latency', latency, 'ms')] : []),
    ...(output ? [legsFigure('Outputs', output, 'none')] : []),
  ]
}

function legsFigure(title: string, pair: Parameters<typeof distributionPlot>[0]['pair'], unit: Unit) {
  const options = distributionPlot({ pair, unit, lines: [], psi: null, width })
  return figure(title, 'primary solid, candidate dashed', options)
}

function figure(title: string, legend: string, options: Plot.PlotOptions): Markup {
  const { document } = parseHTML('<html><body></body></html>')
  const svg = Plot.plot({
    document,
    width,
    height,
    marginTop: 16,
    marginRight: 16,
    marginBottom: 32,
    marginLeft: 48,
    className: 'plot',
    ...options,
    ariaLabel: `${title}, ${legend}`,
  })
  svg.setAttribute('role', 'img')
  // the page's own stylesheet has these rules, and its content security policy blocks any other
  svg.querySelector('style')?.remove()
  for (const element of [svg, ...svg.querySelectorAll('[style]')]) element.removeAttribute('style')
  // the chart is one image with one name, and elements without a role may not have labels
  for (const part of svg.querySelectorAll('g[aria-label]')) part.removeAttribute('aria-label')
  return html`<figure class="figure"><figcaption><span class="figure-title">${title}</span> <span class="muted">${legend}</span></figcaption>${drawn(svg.outerHTML)}</figure>`
}

/** The hatching of the disallowed side of check bars; needed once in a document. */
export const barHatch = html`<svg class="bar-hatch" width="0" height="0" aria-hidden="true"><pattern id="bar-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="interval-hatch" x1="0" x2="0" y1="0" y2="5"/></pattern></svg>`

/** A check as a bar, as the dashboard draws it: allowed side, hatched disallowed side, limit, bound, estimate. */
export function checkBar(check: CheckResult): Markup | string {
  const { bound, allowed, zero, limits, estimate } = intervalScale(check, checkInfo(check).domain)
  if (bound === null && estimate === null) return ''
  const line = (name: string, x: number, [y1, y2]: [number, number]) =>
    html`<line class="interval-${name}" x1="${x}%" x2="${x}%" y1="${y1}" y2="${y2}"/>`
  return html`<svg class="interval interval-${check.verdict}" role="img" aria-label="${check.text}" height="32">
<rect class="interval-track" x="0" y="6" width="100%" height="20" rx="2" fill="url(#bar-hatch)"/>
<rect class="interval-allowed" x="${allowed.from}%" y="6" width="${Math.max(0, allowed.to - allowed.from)}%" height="20"/>
${zero === null ? '' : line('zero', zero, [6, 26])}${limits.map((limit) => line('limit', limit, [1, 31]))}
${
  bound
    ? html`<line class="interval-bound" x1="${bound.from}%" x2="${bound.to}%" y1="16" y2="16"/>${bound.openLow ? '' : line('end', bound.from, [11, 21])}${bound.openHigh ? '' : line('end', bound.to, [11, 21])}`
    : ''
}
${estimate === null ? '' : html`<circle class="interval-estimate" cx="${estimate}%" cy="16" r="4.5"/>`}
</svg>`
}
