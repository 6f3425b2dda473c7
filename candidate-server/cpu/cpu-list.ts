/**
 * Parses the kernel's list format: `0-3,8,10-11` → [0,1,2,3,8,10,11], ascending and without duplicates; an empty list →
 * []. Throws a `RangeError` on anything else.
 */
export function parseCpuList(text: string): number[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const cpus = new Set<number>()
  for (const part of trimmed.split(',')) {
    const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part.trim())
    const first = Number(match?.[1])
    const last = Number(match?.[2] ?? match?.[1])
    if (!match || last < first) {
      throw new RangeError(`expected a CPU list such as 0-3,8, got ${JSON.stringify(trimmed)}`)
    }
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu)
  }
  return [...cpus].sort((a, b) => a - b)
}

/** [0,1,2,8] → `0-2,8`. */
export function formatCpuList(cpus: readonly number[]): string {
  const runs: [number, number][] = []
  for (const cpu of [...cpus].sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run && cpu === run[1] + 1) run[1] = cpu
    else runs.push([cpu, cpu])
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
