import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { describeConfiguration } from './configuration.ts'
import type { LatencyLimit } from './measure.ts'
import { percentileName, type Row } from './rows.ts'

interface Dot {
  throughput: number
  latencyMs: number
  label: string
  satisfies: boolean
}

/** One dot per level of each configuration. */
function dotsOf(rows: readonly Row[]): Dot[] {
  return rows.flatMap((row) =>
    row.kind === 'failed'
      ? []
      : row.levels
          .filter(({ requests, failures }) => requests > failures)
          .map(({ throughput, latencyMs, satisfies, concurrency }) => ({
            throughput,
            latencyMs: latencyMs.limited,
            label: `${describeConfiguration(row.configuration)}; ${concurrency} clients`,
            satisfies: satisfies !== false,
          })),
  )
}

/** Throughput against latency with the Pareto front, as a standalone SVG document. */
export function drawPicture(rows: readonly Row[], chosen: Row | undefined, limit: LatencyLimit, title: string): string {
  const { document } = parseHTML('<html><body></body></html>')
  const dots = dotsOf(rows)
  const front = paretoFront(dots)
  const [best] = chosen?.kind === 'measured' ? dotsOf([{ ...chosen, levels: [chosen.best] }]) : []
  const xy = { x: 'throughput', y: 'latencyMs' } as const
  const svg = Plot.plot({
    document,
    ariaLabel: title,
    width: 900,
    height: 520,
    marginTop: 72,
    marginBottom: 48,
    marginRight: 40,
    marginLeft: 60,
    grid: true,
    style: { fontSize: '13px', background: 'white', color: '#1d2733' },
    x: { label: 'requests/s', nice: true, zero: true, labelOffset: 40 },
    y: { label: null, type: 'log', nice: true, tickFormat: (ms: number) => ms.toLocaleString('en') },
    marks: [
      Plot.text([title], { frameAnchor: 'top-left', dx: -48, dy: -64, fontWeight: 'bold', fontSize: 15 }),
      Plot.text([`↑ latency ${percentileName(limit)}, ms`], { frameAnchor: 'top-left', dx: -48, dy: -18 }),
      Plot.text([`line: Pareto front${limit.latencyMs === undefined ? '' : '; grey: does not hold the limit'}`], {
        frameAnchor: 'top-right',
        dy: -18,
      }),
      Plot.text([best ? `◯ ${best.label}` : 'nothing holds the limit'], { frameAnchor: 'top-left', dx: -48, dy: -42 }),
      limit.latencyMs === undefined
        ? null
        : [
            Plot.ruleY([limit.latencyMs], { stroke: '#b3261e', strokeDasharray: '6 4' }),
            Plot.text([`limit ${limit.latencyMs} ms`], {
              y: limit.latencyMs,
              frameAnchor: 'left',
              dx: 6,
              dy: -8,
              fill: '#b3261e',
            }),
          ],
      Plot.line(front, { ...xy, stroke: '#0b63b0', strokeWidth: 2 }),
      Plot.dot(dots, {
        ...xy,
        r: 5,
        fill: (dot: Dot) => (dot.satisfies ? '#0b63b0' : '#9aa5b1'),
        title: ({ label, throughput, latencyMs }: Dot) =>
          `${label}\n${throughput.toFixed(1)} requests/s, ${latencyMs.toFixed(2)} ms`,
      }),
      best ? Plot.dot([best], { ...xy, r: 9, stroke: '#0b63b0', strokeWidth: 2 }) : null,
    ],
  })
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return svg.outerHTML
}

/** The picture, the table and the remarks on it in one self-contained file. */
export function htmlPage(title: string, svg: string, table: string, remarks: readonly string[]): string {
  const escapeText = (plain: string) => plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeText(title)}</title>
<style>body { font: 15px system-ui, sans-serif; margin: 2rem; color: #1d2733; background: white } svg { max-width: 100%; height: auto } pre { font-size: 13px; overflow-x: auto } p { max-width: 80ch }</style>
${svg}
<pre>${escapeText(table)}</pre>
${remarks.map((remark) => `<p>${escapeText(remark)}</p>`).join('\n')}
</html>
`
}

/** The points that no other beats in both respects (more throughput at no more latency), by ascending throughput. */
export function paretoFront<Point extends { throughput: number; latencyMs: number }>(
  points: readonly Point[],
): Point[] {
  const front: Point[] = []
  for (const point of points.toSorted((a, b) => b.throughput - a.throughput || a.latencyMs - b.latencyMs)) {
    if (point.latencyMs < (front.at(-1)?.latencyMs ?? Number.POSITIVE_INFINITY)) front.push(point)
  }
  return front.reverse()
}
