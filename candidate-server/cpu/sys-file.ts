import { readdirSync, readFileSync } from 'node:fs'
import { parseCpuList } from './cpu-list.ts'
import { PlanError } from './plan-error.ts'

/** Reads a file of /sys or /proc, trimmed; `undefined` if it is missing or unreadable. */
export function readSysFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Reads a CPU list file; `undefined` if it is missing. A damaged file throws and never means "all CPUs". */
export function readCpuListFile(file: string): number[] | undefined {
  const text = readSysFile(file)
  return text === undefined ? undefined : parseCpuListOf(file, text)
}

export function parseCpuListOf(source: string, text: string): number[] {
  try {
    return parseCpuList(text)
  } catch (error) {
    throw new PlanError('TOPOLOGY_UNREADABLE', `${source}: ${(error as Error).message}`)
  }
}

/** The numbers N of the entries named `prefixN` in a directory, ascending; [] if there is no directory. */
export function numberedEntries(directory: string, prefix: string): number[] {
  const pattern = new RegExp(`^${prefix}(\\d+)$`)
  try {
    return readdirSync(directory)
      .map((name) => pattern.exec(name)?.[1])
      .filter((digits) => digits !== undefined)
      .map(Number)
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}
