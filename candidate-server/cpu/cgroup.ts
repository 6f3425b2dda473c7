import { join } from 'node:path'
import { readCpuListFile, readSysFile } from './sys-file.ts'

export interface CgroupLimits {
  /** CPUs of the nearest cpuset; `null` if none is set. */
  cpus: number[] | null
  /** The smallest quota of this cgroup and its ancestors, in CPUs; `null` if none is set. */
  quotaCpus: number | null
  /** Whether the kernel leaves threads on the CPU of this cpuset where they began. */
  isIsolated: boolean
}

/** Reads both cgroup hierarchies, because a hybrid machine may set limits in either. `root` is `/` or a copy of it. */
export function readCgroupLimits(root: string): CgroupLimits {
  const own = readOwnCgroups(root)
  const { cpuV2, cpuV1 } = cpuHierarchies(root, own)
  const cpusetV1 = ancestors(root, ['cpuset'], own.cpuset)

  const quotas = [...cpuV2.map(quotaV2), ...cpuV1.map(quotaV1)].filter((quota) => quota !== undefined)
  const cpus =
    nearestCpuset(cpuV2, ['cpuset.cpus.effective', 'cpuset.cpus']) ??
    nearestCpuset(cpusetV1, ['cpuset.effective_cpus', 'cpuset.cpus'])
  const quotaCpus = quotas.length > 0 ? Math.min(...quotas) : null
  const isIsolated = partitionOf(cpuV2) === 'isolated' || isBalancedNowhere(cpusetV1)
  return { cpus: cpus ?? null, quotaCpus, isIsolated }
}

/** The directories of this process's cgroup and its ancestors, in both hierarchies; some of them may not exist. */
export function cpuCgroups(root: string): string[] {
  const { cpuV2, cpuV1 } = cpuHierarchies(root, readOwnCgroups(root))
  return [...cpuV2, ...cpuV1]
}

const cpuHierarchies = (root: string, own: OwnCgroups) => ({
  cpuV2: ancestors(root, ['', 'unified'], own.unified),
  cpuV1: ancestors(root, ['cpu', 'cpu,cpuacct', 'cpuacct,cpu'], own.cpu),
})

interface OwnCgroups {
  unified: string
  cpu: string
  cpuset: string
}

/** Read from /proc/self/cgroup; defaults to the root cgroup if there is no such file. */
function readOwnCgroups(root: string): OwnCgroups {
  const own: OwnCgroups = { unified: '/', cpu: '/', cpuset: '/' }
  const mounts = readMountRoots(root)
  for (const line of (readSysFile(join(root, 'proc/self/cgroup')) ?? '').split('\n')) {
    const match = /^(\d+):([^:]*):(.*)$/.exec(line)
    if (!match) continue
    const [, hierarchy, controllers, path] = match as unknown as [string, string, string, string]
    if (hierarchy === '0' && controllers === '') own.unified = insideMount(path, mounts)
    const names = controllers.split(',')
    if (names.includes('cpu')) own.cpu = insideMount(path, mounts)
    if (names.includes('cpuset')) own.cpuset = insideMount(path, mounts)
  }
  return own
}

/** A container may have only part of the hierarchy mounted as its root; /proc/self/mountinfo tells which part. */
function readMountRoots(root: string): string[] {
  return (readSysFile(join(root, 'proc/self/mountinfo')) ?? '')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[3]!)
}

function insideMount(path: string, mountRoots: string[]): string {
  const mountRoot = mountRoots.find((candidate) => path === candidate || path.startsWith(`${candidate}/`))
  return mountRoot === undefined ? path : path.slice(mountRoot.length) || '/'
}

/** The cgroup's directory followed by its ancestors up to the mount point, for each possible mount. */
function ancestors(root: string, mounts: string[], path: string): string[] {
  const steps = path.split('/').filter((step) => step !== '' && step !== '..')
  return mounts.flatMap((mount) =>
    Array.from({ length: steps.length + 1 }, (_, up) =>
      join(root, 'sys/fs/cgroup', mount, ...steps.slice(0, steps.length - up)),
    ),
  )
}

/** Reads `cpu.max`: "max 100000" or "QUOTA PERIOD" in µs. */
function quotaV2(directory: string): number | undefined {
  const match = /^(\d+) (\d+)$/.exec(readSysFile(join(directory, 'cpu.max')) ?? '')
  return match ? Number(match[1]) / Number(match[2]) : undefined
}

/** `cpu.cfs_quota_us` (-1 for none) divided by `cpu.cfs_period_us`. */
function quotaV1(directory: string): number | undefined {
  const quota = Number(readSysFile(join(directory, 'cpu.cfs_quota_us')) ?? -1)
  const period = Number(readSysFile(join(directory, 'cpu.cfs_period_us')) ?? 100_000)
  return quota > 0 && period > 0 ? quota / period : undefined
}

/** The state of the partition that the cgroup belongs to; `undefined` if that is the machine's own. */
const partitionOf = (directories: string[]) =>
  directories
    .map((directory) => readSysFile(join(directory, 'cpuset.cpus.partition')))
    .find((state) => state !== undefined && state !== 'member')

/** Whether v1's load balancing is off here and above: one cpuset with it on balances all that it contains. */
function isBalancedNowhere(directories: string[]): boolean {
  const states = directories
    .map((directory) => readSysFile(join(directory, 'cpuset.sched_load_balance')))
    .filter((state) => state !== undefined)
  return states.length > 0 && states.every((state) => state === '0')
}

function nearestCpuset(directories: string[], files: string[]): number[] | undefined {
  for (const directory of directories) {
    for (const file of files) {
      const cpus = readCpuListFile(join(directory, file))
      if (cpus && cpus.length > 0) return cpus
    }
  }
  return undefined
}
