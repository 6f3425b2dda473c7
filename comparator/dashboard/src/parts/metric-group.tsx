import { metricInfo } from '../metrics/metric-info.ts'

/** Metrics to choose from, under one head; none, no head. */
export function MetricGroup({ label, names }: { label: string; names: string[] }) {
  if (names.length === 0) return null
  return (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={name}>
          {metricInfo(name).label}
        </option>
      ))}
    </optgroup>
  )
}
