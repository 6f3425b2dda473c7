import type { SlicesView } from '../../../../vocabulary/slices.ts'
import { dimensionWords } from './slice-words.ts'

interface DimensionPickerProps {
  dimensions: SlicesView['dimensions']
  /** `null`: all. */
  chosen: string | null
  choose: (dimension: string | null) => void
}

/** Which dimension's slices are listed. */
export function DimensionPicker({ dimensions, chosen, choose }: DimensionPickerProps) {
  const known = dimensions.filter(({ values }) => values > 0)
  const all = known.reduce((sum, { values }) => sum + values, 0)
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">Dimension</legend>
      {[{ name: null, values: all }, ...known].map(({ name, values }) => (
        <label key={name} class="choice-option">
          <input
            class="visually-hidden"
            type="radio"
            name="slice-dimension"
            checked={name === chosen}
            onChange={() => choose(name)}
          />
          <span>
            {name === null ? 'all' : dimensionWords(name)} <span class="muted number">{values}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
