import { availableParallelism, cpus, loadavg } from 'node:os'

/** One line that describes the machine, with the one-minute load average before the run; `others` are programs measured. */
export function machineLine(...others: string[]): string {
  const load = loadavg()[0]!.toFixed(1)
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} CPUs`,
    `Node ${process.versions.node}`,
    ...others,
    `load average before the run ${load}`,
    new Date().toISOString().slice(0, 10),
  ].join(' · ')
}
