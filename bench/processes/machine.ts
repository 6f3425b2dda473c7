import { availableParallelism, cpus, loadavg } from 'node:os'

/** One line that describes the machine. `load` is the one-minute load average before the run. */
export function machineLine(nginx: string | undefined): string {
  const load = loadavg()[0]!.toFixed(1)
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} CPUs`,
    `Node ${process.versions.node}`,
    nginx === undefined ? 'no nginx' : `nginx ${nginx}`,
    `load average before the run ${load}`,
    new Date().toISOString().slice(0, 10),
  ].join(' · ')
}
