import type { Bytes } from '../../vocabulary/units.ts'
import type { PlanWarning } from '../cpu/cpu-plan.ts'
import { readSysFile } from '../cpu/sys-file.ts'
import type { Allocator } from './allocator.ts'

/** Why `cpu.hugePages: true` has no effect on this machine; [] if it has. */
export function hugePageWarnings(
  allocator: Allocator,
  enabled = readSysFile('/sys/kernel/mm/transparent_hugepage/enabled'),
): PlanWarning[] {
  const warn = (message: string): PlanWarning[] => [{ code: 'HUGE_PAGES_OFF', message: `cpu.hugePages: ${message}` }]
  if (enabled === undefined || enabled.includes('[never]')) {
    return warn(
      `the kernel gives no transparent huge pages (${enabled ?? 'no /sys/kernel/mm/transparent_hugepage'}); echo madvise into /sys/kernel/mm/transparent_hugepage/enabled on the host`,
    )
  }
  if (allocator.kind === 'preloaded' && allocator.name === 'tcmalloc' && !enabled.includes('[always]')) {
    return warn('gperftools’ tcmalloc does not ask for them and the kernel waits to be asked; take jemalloc or none')
  }
  return []
}

/** Memory that the kernel backs with huge pages in a process; `null` if it does not say. */
export function hugePageBytes(pid: number): Bytes | null {
  const kib = /^AnonHugePages:\s*(\d+) kB/m.exec(readSysFile(`/proc/${pid}/smaps_rollup`) ?? '')?.[1]
  return kib === undefined ? null : Number(kib) * 1024
}
