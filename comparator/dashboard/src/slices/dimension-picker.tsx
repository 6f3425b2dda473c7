import type { SlicesView } from '../../../../vocabulary/slice/slices.ts'
import { Choice } from '../parts/choice.tsx'
import { dimensionWords, isRest } from './slice-words.ts'

interface DimensionPickerProps {
  view: SlicesView
  /** `null`: all. */
  chosen: string | null
  choose: (dimension: string | null) => void
}

/** Chooses the dimension whose slices are listed. */
export function DimensionPicker({ view, chosen, choose }: DimensionPickerProps) {
  const known = view.dimensions.filter(({ values }) => values > 0)
  // the remainder is not a value of its own and stands for an unknown number of values
  const countOf = (slices: SlicesView['slices']) =>
    `${slices.filter((slice) => !isRest(slice)).length}${slices.some(isRest) ? '+' : ''}`
  return (
    <Choice
      legend="Dimension"
      name="slice-dimension"
      options={[null, ...known.map(({ name }) => name)].map((name) => ({
        value: name,
        words: (
          <>
            {name === null ? 'all' : dimensionWords(name)}{' '}
            <span class="muted number">
              {countOf(view.slices.filter(({ dimension }) => name === null || dimension === name))}
            </span>
          </>
        ),
      }))}
      chosen={chosen}
      choose={choose}
    />
  )
}
