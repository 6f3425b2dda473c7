import type { ComponentChildren } from 'preact'

interface ChoiceProps<Value> {
  /** What is chosen, for people who cannot see it. */
  legend: string
  /** Identifies the group on the page. */
  name: string
  options: readonly { value: Value; words: ComponentChildren }[]
  chosen: Value
  choose: (value: Value) => void
}

/** One of a few, all in sight. */
export function Choice<Value extends string | null>({ legend, name, options, chosen, choose }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{legend}</legend>
      {options.map(({ value, words }) => (
        <label key={value} class="choice-option">
          <input
            class="visually-hidden"
            type="radio"
            name={name}
            checked={value === chosen}
            onChange={() => choose(value)}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}
