import { join } from 'node:path'

/** The spool of a mirror's worker; `dir` itself is worker 0's. */
export function spoolDirOf(dir: string, number: number): string {
  return number === 0 ? dir : join(dir, `worker-${number}`)
}

/** The number in the name of a spool that `spoolDirOf` made. */
export function numberOfSpool(name: string): number | undefined {
  const match = /^worker-([1-9]\d*)$/.exec(name)
  return match ? Number(match[1]) : undefined
}
