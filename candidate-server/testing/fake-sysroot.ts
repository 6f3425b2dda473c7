/** For tests: writes a copy of /sys and /proc that describes another machine. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { formatCpuList } from '../cpu/cpu-list.ts'

export interface FakeMachine {
  /** Sibling lists, one per core: `[[0, 4], [1, 5]]`. */
  cores: number[][]
  /** CPUs of each NUMA node; by default there is no node folder. */
  nodes?: number[][]
  offline?: number[]
  /** Further files by path, such as `sys/fs/cgroup/cpu.max`. */
  files?: Record<string, string>
}

/** Hundreds of small files that need not be on a disk. */
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
/** Written by the current test. */
const written = new Map<FakeMachine, string>()

export function writeSysroot(machine: FakeMachine): string {
  const before = written.get(machine)
  if (before !== undefined) return before
  const { cores, nodes, offline = [], files = {} } = machine
  const root = mkdtempSync(join(parent, 'understudy-sysroot-'))
  written.set(machine, root)
  onTestFinished(() => {
    written.delete(machine)
    rmSync(root, { recursive: true })
  })
  const cpu = 'sys/devices/system/cpu'
  const online = cores.flat().filter((id) => !offline.includes(id))
  const all: Record<string, string> = { [`${cpu}/online`]: formatCpuList(online) }
  for (const siblings of cores) {
    for (const id of siblings) {
      if (id !== 0) all[`${cpu}/cpu${id}/online`] = offline.includes(id) ? '0' : '1'
      if (offline.includes(id)) continue
      const list = formatCpuList(siblings.filter((sibling) => !offline.includes(sibling)))
      all[`${cpu}/cpu${id}/topology/thread_siblings_list`] = list
      all[`${cpu}/cpu${id}/topology/core_cpus_list`] = list
    }
  }
  for (const [node, cpus] of (nodes ?? []).entries()) {
    all[`sys/devices/system/node/node${node}/cpulist`] = formatCpuList(cpus.filter((id) => online.includes(id)))
  }
  const entries = Object.entries({ ...all, ...files })
  for (const folder of new Set(entries.map(([file]) => dirname(file))))
    mkdirSync(join(root, folder), { recursive: true })
  for (const [file, content] of entries) writeFileSync(join(root, file), `${content}\n`)
  return root
}

/** `range(2, 5)` → [2, 3, 4]. */
export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
export const singleThreaded = (count: number) => range(0, count).map((id) => [id])
