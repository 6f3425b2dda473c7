import { metricInfo } from '../metrics/metric-info.ts'

/** A titled group of metrics to choose from; omitted if empty. */
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
