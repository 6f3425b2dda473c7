import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { serverNow } from '../api/server-clock.ts'
import { formatSpan } from '../format/time.ts'
import { type Range, wholeWindow } from '../routing/range.ts'

const presets: [duration: string, words: string][] = [
  ['5m', 'Last 5 minutes'],
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['6h', 'Last 6 hours'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
]

interface RangePickerProps {
  range: Range
  /** The span on screen, as a starting point for a custom one. */
  shown: { from: string | null; to: string | null } | null
  choose: (range: Range) => void
}

/**
 * The range of every chart below: what the gate judges, a duration back from now, or a span, typed or selected on a
 * chart.
 */
export function RangePicker({ range, shown, choose }: RangePickerProps) {
  const spanned = spanOf(range, shown)
  const value = range.kind === 'last' ? range.duration : range.kind
  const unlisted = range.kind === 'last' && !presets.some(([duration]) => duration === range.duration)
  return (
    <div class="range-picker">
      <label class="picker">
        <span>Range</span>
        <select
          value={value}
          onChange={({ currentTarget: { value } }) => {
            if (value === 'between') choose({ kind: 'between', ...spanned })
            else choose(value === 'window' ? wholeWindow : { kind: 'last', duration: value })
          }}
        >
          <option value="window">The gate’s window</option>
          {unlisted && <option value={range.duration}>Last {range.duration}</option>}
          {presets.map(([duration, words]) => (
            <option key={duration} value={duration}>
              {words}
            </option>
          ))}
          <option value="between">From … to …</option>
        </select>
      </label>
      {range.kind === 'between' && (
        <>
          <Bound
            label="From"
            at={range.from}
            isPossible={(from) => from < range.to}
            choose={(from) => choose({ kind: 'between', from, to: range.to })}
          />
          <Bound
            label="To"
            at={range.to}
            isPossible={(to) => to > range.from}
            choose={(to) => choose({ kind: 'between', from: range.from, to })}
          />
          <span class="muted">UTC, {formatSpan(range.to - range.from)}</span>
          <button class="button button-quiet" type="button" onClick={() => choose(wholeWindow)}>
            Whole window
          </button>
        </>
      )}
    </div>
  )
}

interface BoundProps {
  label: string
  at: number
  isPossible: (at: number) => boolean
  choose: (at: number) => void
}

/**
 * One end of the span in UTC. It is applied on Enter or when the field loses focus, so that a half-typed date has no
 * effect. Impossible values are reset.
 */
function Bound({ label, at, isPossible, choose }: BoundProps) {
  const [text, setText] = useState(spell(at))
  const isThere = useRef(true)
  useLayoutEffect(() => setText(spell(at)), [at])
  useLayoutEffect(() => {
    return () => {
      isThere.current = false
    }
  }, [])
  const take = () => {
    if (!isThere.current) return // the field loses focus when it is removed, which is not the reader's doing
    if (text === spell(at)) return // unchanged: a selected bound keeps its milliseconds
    const time = Date.parse(`${text}Z`)
    if (isPossible(time)) choose(time)
    else setText(spell(at))
  }
  return (
    <label class="picker">
      <span>{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === 'Enter' && take()}
      />
    </label>
  )
}

function spell(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}

function spanOf(range: Range, shown: RangePickerProps['shown']): { from: number; to: number } {
  if (range.kind === 'between') return { from: range.from, to: range.to }
  if (shown?.from && shown.to) return { from: Date.parse(shown.from), to: Date.parse(shown.to) }
  return { from: serverNow() - 3_600_000, to: serverNow() }
}
