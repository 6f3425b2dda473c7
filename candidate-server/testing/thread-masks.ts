/** For tests: where a process's threads may run, according to the kernel. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export const threadsOf = (pid: number) => readdirSync(`/proc/${pid}/task`)

/** The distinct masks of a process's threads; a thread that ends meanwhile has none. */
export function masksOf(pid: number): string[] {
  const masks = threadsOf(pid).map((thread) => {
    try {
      return /^Cpus_allowed_list:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))![1]!
    } catch {
      return undefined
    }
  })
  return [...new Set(masks.filter((mask) => mask !== undefined))]
}

/** Sets the mask of a process or thread, as an operator might. */
export const taskset = (...args: string[]) => execFileSync('taskset', args, { stdio: 'ignore' })
