import { type LatencyQuantile, latencyQuantiles } from '../metrics/latency-quantiles.ts'

interface QuantilePickerProps {
  chosen: LatencyQuantile
  choose: (quantile: LatencyQuantile) => void
}

/** Chooses the quantile that the charts over time draw. */
export function QuantilePicker({ chosen, choose }: QuantilePickerProps) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">Quantile over time</legend>
      {latencyQuantiles.map((quantile) => (
        <label key={quantile} class="choice-option">
          <input
            class="visually-hidden"
            type="radio"
            name="latency-quantile"
            checked={quantile === chosen}
            onChange={() => choose(quantile)}
          />
          <span>{quantile}</span>
        </label>
      ))}
    </fieldset>
  )
}
