import { useMemo, useState } from 'preact/hooks'
import type { BoxesPair, BoxView } from '../../../../vocabulary/api/answer-pair.ts'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { formatCount } from '../format/number.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { BoxesOnPicture } from './boxes-on-picture.tsx'
import { pictureOfRow } from './find-pictures.ts'
import { FurthestRow } from './furthest-row.tsx'

interface BoxesPairProps {
  pair: BoxesPair
  request: ObservationDetail['request']
}

/** Both sides' boxes on the picture they belong to, with a list of which matched which. */
export function BoxesPairView({ pair, request }: BoxesPairProps) {
  const [marked, setMarked] = useState<number | null>(null)
  const { shown, matched, onlyPrimary, onlyCandidate, iouMin } = pair
  const total = matched + onlyPrimary + onlyCandidate
  const { row } = pair
  const picture = useMemo(() => request && pictureOfRow(request, row), [request, row])
  return (
    <>
      <FurthestRow row={row} />
      <p class="verdict-line">
        <strong>{formatCount(matched)} matched</strong> at an overlap (IoU) of {iouMin} or more,{' '}
        {formatCount(onlyPrimary)} only in the primary, {formatCount(onlyCandidate)} only in the candidate.
      </p>
      <div class="boxes-pair">
        <BoxesOnPicture pair={pair} picture={picture} marked={marked} mark={setMarked} />
        <table class="boxes">
          <caption class="visually-hidden">Boxes of both sides</caption>
          <thead>
            <tr>
              <th scope="col">Box</th>
              <th scope="col" class="numeric">
                <span class="leg leg-primary">Score</span>
              </th>
              <th scope="col" class="numeric">
                <span class="leg leg-candidate">Score</span>
              </th>
              <th scope="col" class="numeric">
                IoU
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ label, primary, candidate, iou }, i) => (
              <tr
                key={i}
                class={marked === i ? 'marked' : undefined}
                onPointerEnter={() => setMarked(i)}
                onPointerLeave={() => setMarked(null)}
              >
                <th scope="row">
                  <span class="box-number">{i + 1}</span>{' '}
                  {label === '' ? <span class="muted">no label</span> : <VisibleText text={label} inline />}
                </th>
                <td class="numeric">{score(primary)}</td>
                <td class="numeric">{score(candidate)}</td>
                <td class="numeric">
                  {iou === null ? (
                    <span class="box-alone">only {primary ? 'primary' : 'candidate'}</span>
                  ) : (
                    iou.toFixed(3)
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > shown.length && (
        <p class="muted">
          The {formatCount(shown.length)} worst matches of {formatCount(total)}.
        </p>
      )}
    </>
  )
}

function score(box: BoxView | null) {
  if (box === null) return <span class="muted">–</span>
  return box.score === null ? <span class="muted">no score</span> : box.score.toFixed(3)
}
