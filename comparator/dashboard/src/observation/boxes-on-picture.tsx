import { useState } from 'preact/hooks'
import type { BoxesPair } from '../../../../vocabulary/api/answer-pair.ts'
import { legs } from '../../../../vocabulary/leg.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import type { Picture } from './find-pictures.ts'
import { PictureImage } from './picture-image.tsx'

/** With more boxes, only their numbers are shown. */
const labelledMax = 12

interface BoxesOnPictureProps {
  pair: BoxesPair
  picture: Picture | null
  marked: number | null
  mark: (box: number | null) => void
}

/** Solid for the primary, dashed for the candidate; the numbers are those of the table. */
export function BoxesOnPicture({ pair, picture, marked, mark }: BoxesOnPictureProps) {
  const [natural, setNatural] = useState(picture?.size ?? null)
  const { shown, frame } = pair
  // without a picture, just large enough for the boxes
  const extent = (i: 2 | 3) =>
    Math.max(...shown.flatMap(({ primary, candidate }) => [primary?.corners[i] ?? 0, candidate?.corners[i] ?? 0]), 1e-9)
  const [width, height] =
    frame === 'relative' ? [1, 1] : natural ? [natural.width, natural.height] : [extent(2), extent(3)]
  const x = (value: number) => `${(100 * value) / width}%`
  const y = (value: number) => `${(100 * value) / height}%`
  return (
    <figure class="boxes-figure">
      <div class={picture ? 'boxes-picture' : 'boxes-picture boxes-blank'}>
        {picture && (
          <PictureImage
            picture={picture}
            alt="The request’s image"
            sized={(w, h) => setNatural({ width: w, height: h })}
          />
        )}
        <svg class="boxes-drawn" aria-hidden="true">
          {shown.map(({ primary, candidate }, i) => (
            <g key={i} class={marked === null ? undefined : marked === i ? 'marked' : 'faded'}>
              {legs.map((leg) => {
                const box = leg === 'primary' ? primary : candidate
                if (box === null) return null
                const [x1, y1, x2, y2] = box.corners
                const place = { x: x(x1), y: y(y1), width: x(x2 - x1), height: y(y2 - y1) }
                return (
                  <g key={leg}>
                    <rect class="box-halo" {...place} />
                    <rect class={`box box-${leg}`} {...place} />
                  </g>
                )
              })}
            </g>
          ))}
        </svg>
        {shown.map(({ label, primary, candidate }, i) => {
          const [x1, y1] = (primary ?? candidate)!.corners
          return (
            <span
              key={i}
              class={`box-number box-tag${marked !== null && marked !== i ? ' faded' : ''}`}
              style={{ left: x(Math.max(0, x1)), top: y(Math.max(0, y1)) }}
              aria-hidden="true"
              onPointerEnter={() => mark(i)}
              onPointerLeave={() => mark(null)}
            >
              {i + 1}
              {shown.length <= labelledMax && label !== '' && (
                <span class="box-label">
                  <VisibleText text={label} inline />
                </span>
              )}
            </span>
          )
        })}
      </div>
      <figcaption class="muted">
        <span class="leg leg-primary">primary</span> <span class="leg leg-candidate">candidate</span>
        {!picture && <span>The image is not available; the frame is as large as the boxes need.</span>}
      </figcaption>
    </figure>
  )
}
