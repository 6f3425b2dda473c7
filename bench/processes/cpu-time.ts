import { readFileSync } from 'node:fs'

/** `getconf CLK_TCK`: 100 on every Linux that Node runs on. */
export const ticksPerSecond = 100

/** CPU seconds used by a process and its ended children; undefined if there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc(5): fields 14 and 15 are user and system time in ticks; the name before them may contain spaces and brackets
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    if (children === '') return own
    return children.split(' ').reduce((sum, child) => sum + (cpuSeconds(Number(child)) ?? 0), own)
  } catch {
    return undefined
  }
}
