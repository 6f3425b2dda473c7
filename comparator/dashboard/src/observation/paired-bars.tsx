import type { ComponentChildren } from 'preact'
import { type Leg, legs } from '../../../../vocabulary/leg.ts'
import { Downloads } from '../charts/frame/downloads.tsx'

interface PairedRow {
  key: string | number
  /** As shown; downloads contain the key. */
  name: ComponentChildren
  primary: number | null
  candidate: number | null
}

interface PairedBarsProps {
  caption: string
  nameHead: string
  rows: PairedRow[]
  format: (value: number) => string
  /** The ends of the bars' scale; both include 0. */
  lowest: number
  highest: number
  /** The threshold from which each side's value counts. */
  least?: Record<Leg, number> | undefined
}

/**
 * One bar per side from zero, on one scale for all rows. The numbers stand beside the bars, so that it is also a table.
 */
export function PairedBars({ caption, nameHead, rows, format, lowest, highest, least }: PairedBarsProps) {
  const span = highest - lowest || 1
  const place = (value: number) => (100 * (Math.min(highest, Math.max(lowest, value)) - lowest)) / span
  const bar = (leg: 'primary' | 'candidate', value: number | null) =>
    value !== null && (
      <rect
        class={`pair-bar pair-bar-${leg}`}
        x={`${Math.min(place(0), place(value))}%`}
        width={`${Math.abs(place(value) - place(0))}%`}
        y={leg === 'primary' ? 3 : 13}
        height={8}
      />
    )
  const cell = (value: number | null) => (value === null ? <span class="muted">–</span> : format(value))
  return (
    <div class="picture">
      <table class="paired-bars folds">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{nameHead || <span class="visually-hidden">What</span>}</th>
            <th scope="col">
              <span class="visually-hidden">Both on one scale</span>
            </th>
            <th scope="col" class="numeric">
              <span class="leg leg-primary">Primary</span>
            </th>
            <th scope="col" class="numeric">
              <span class="leg leg-candidate">Candidate</span>
            </th>
            <th scope="col" class="numeric">
              Difference
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, primary, candidate }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td class="cell-bars">
                <svg width="100%" height="24" aria-hidden="true">
                  {bar('primary', primary)}
                  {bar('candidate', candidate)}
                  {least &&
                    legs.map((leg) => (
                      <line
                        key={leg}
                        class="pair-least"
                        x1={`${place(least[leg])}%`}
                        x2={`${place(least[leg])}%`}
                        y1={leg === 'primary' ? 0 : 12}
                        y2={leg === 'primary' ? 12 : 24}
                      />
                    ))}
                  <line class="pair-zero" x1={`${place(0)}%`} x2={`${place(0)}%`} y1="0" y2="24" />
                </svg>
              </td>
              <td class="numeric" data-label="Primary">
                {cell(primary)}
              </td>
              <td class="numeric" data-label="Candidate">
                {cell(candidate)}
              </td>
              <td class="numeric" data-label="Difference">
                {primary === null || candidate === null ? (
                  <span class="muted">–</span>
                ) : (
                  signed(candidate - primary, format)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Downloads
        title={caption}
        table={() => ({
          columns: [nameHead || 'What', 'Primary', 'Candidate', 'Difference'],
          rows: rows.map(({ key, primary, candidate }) => [
            String(key),
            ...[primary, candidate, primary === null || candidate === null ? null : candidate - primary].map(
              (value) => ({ text: '', value }),
            ),
          ]),
        })}
      />
    </div>
  )
}

function signed(difference: number, format: (value: number) => string): string {
  return difference > 0 ? `+${format(difference)}` : format(difference)
}
