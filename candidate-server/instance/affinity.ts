import { formatCpuList, parseCpuList } from '../cpu/cpu-list.ts'
import { numberedEntries, readSysFile } from '../cpu/sys-file.ts'

/** What the kernel says about where a process runs. `unknown` where there is no /proc or the process is gone. */
export type Affinity = { kind: 'verified' } | { kind: 'differs'; cpus: string } | { kind: 'unknown' }

/** Every thread counts: one that escapes its cores disturbs another instance. */
export function verifyAffinity(pid: number, expected: readonly number[]): Affinity {
  const seen = new Set<number>()
  let threads = 0
  for (const thread of numberedEntries(`/proc/${pid}/task`, '')) {
    const status = readSysFile(`/proc/${pid}/task/${thread}/status`)
    const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? '')?.[1]
    if (list === undefined) continue // ended since the directory was read
    threads++
    for (const cpu of parseCpuList(list)) seen.add(cpu)
  }
  if (threads === 0) return { kind: 'unknown' }
  const cpus = formatCpuList([...seen])
  return cpus === formatCpuList(expected) ? { kind: 'verified' } : { kind: 'differs', cpus }
}
