import type { SlicesView, SliceView } from '../../../../vocabulary/slice/slices.ts'
import { BoundBar } from '../charts/bars/bound-bar.tsx'
import { type BoundScale, boundScale } from '../charts/bars/bound-scale.ts'
import { boundedText } from '../format/bounded-text.ts'
import { formatColumnShare, formatCount } from '../format/number.ts'
import { metricInfo } from '../metrics/metric-info.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { dimensionWords, valueWords } from './slice-words.ts'

interface SliceTableProps {
  view: SlicesView
  shown: SliceView[]
  route: ValidationRoute
}

/** Every slice's bound on one scale, against the line of all traffic. A slice's name links to it. */
export function SliceTable({ view, shown, route }: SliceTableProps) {
  const info = metricInfo(view.metric)
  const { overall } = view
  const marks = [overall.estimate, overall.lower, overall.upper].filter((value) => value !== null)
  const scale = boundScale(shown, marks, info.domain)
  const place = overall.estimate === null ? null : `${scale.place(overall.estimate)}%`
  return (
    <table class="slice-table folds">
      <caption class="visually-hidden">
        {info.label} by slice, the worst first, each with its bound against all traffic
      </caption>
      <thead>
        <tr>
          <th scope="col">Slice</th>
          <th scope="col" class="cell-bound-bar">
            {place !== null && (
              <span class="overall-label" style={{ left: place, translate: `-${place}` }}>
                all traffic {boundedText(view.metric, overall).estimate}
              </span>
            )}
            <span class="visually-hidden">Bound against all traffic</span>
          </th>
          <th scope="col" class="numeric">
            Estimate
          </th>
          <th scope="col" class="numeric">
            n
          </th>
          <th scope="col" class="numeric">
            Share
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((slice) => (
          <SliceRow key={slice.slice} {...{ slice, view, scale, route }} />
        ))}
      </tbody>
    </table>
  )
}

interface SliceRowProps {
  slice: SliceView
  view: SlicesView
  scale: BoundScale
  route: ValidationRoute
}

function SliceRow({ slice, view, scale, route }: SliceRowProps) {
  const { dimension, value, lower, upper, worse } = slice
  const isChosen = route.slice === slice.slice
  const isBounded = lower !== null || upper !== null
  const { estimate, bound } = boundedText(view.metric, slice)
  return (
    <tr class={worse ? 'slice-worse' : undefined} aria-current={isChosen ? 'true' : undefined}>
      <th scope="row" class="cell-slice">
        <a
          href={formatRoute({ ...route, slice: isChosen ? null : slice.slice })}
          title={isChosen ? 'Show all traffic' : 'Show only this slice'}
        >
          <VisibleText text={valueWords(dimension, value)} inline />
        </a>
        {worse && <WorseTag />}
        <span class="slice-dimension">{dimensionWords(dimension)}</span>
      </th>
      <td class="cell-bound-bar">
        {isBounded ? (
          <BoundBar
            bounded={slice}
            scale={scale}
            mark={worse ? 'worse' : 'whole'}
            against={view.overall}
            label={bound === null ? estimate : `${estimate}, bound ${bound}`}
          />
        ) : (
          <span class="no-data">too little evidence</span>
        )}
      </td>
      <td class="numeric" data-label="Estimate">
        {isBounded ? estimate : '–'}
        {bound !== null && <span class="cell-bound">{bound}</span>}
      </td>
      <td class="numeric" data-label="n">
        {formatCount(slice.n)}
      </td>
      <td class="numeric" data-label="Share">
        {formatColumnShare(slice.share)}
      </td>
    </tr>
  )
}

/** Icon, word and colour together. */
function WorseTag() {
  return (
    <span class="worse-tag">
      <svg viewBox="0 0 10 10" aria-hidden="true">
        <path d="M5 9.2L.4 1.2h9.2z" />
      </svg>
      worse
    </span>
  )
}
