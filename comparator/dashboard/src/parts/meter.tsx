interface MeterProps {
  label: string
  have: string
  need: string
  /** Filled part of the bar, [0, 1]; `null` if nothing has been measured yet. */
  filled: number | null
  /** Position of the required amount on the bar; by default at its end. */
  needAt?: number
  enough: boolean
}

/** Evidence gathered against evidence needed. */
export function Meter({ label, have, need, filled, needAt, enough }: MeterProps) {
  const percent = Math.round((filled ?? 0) * 1000) / 10
  return (
    <div class={enough ? 'meter meter-enough' : 'meter'}>
      <div class="meter-head">
        <span class="meter-label">{label}</span>
        <span class="meter-numbers">
          <strong>{have}</strong> / {need}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: <meter> cannot be drawn alike in every browser, nor show the need */}
      <div
        class="meter-bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${have} of the ${need} needed`}
      >
        <span class="meter-fill" style={{ width: `${percent}%` }} />
        {needAt !== undefined && <span class="meter-need" style={{ left: `${needAt * 100}%` }} />}
      </div>
    </div>
  )
}
