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
  const { cpuV2, cpuV1, cpusetV1 } = readHierarchies(root)
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
  const { cpuV2, cpuV1 } = readHierarchies(root)
  return [...cpuV2, ...cpuV1]
}

/** For each hierarchy, the directories of this process's cgroup and its ancestors. */
function readHierarchies(root: string) {
  const own = readOwnCgroups(root)
  const mountRoots = readMountRoots(root)
  const directoriesOf = (path: string, mounts: string[]) =>
    mounts.flatMap((mount) => {
      const point = join('/sys/fs/cgroup', mount)
      return ancestors(join(root, point), insideMount(path, mountRoots.get(point)))
    })
  return {
    cpuV2: directoriesOf(own.unified, ['', 'unified']),
    cpuV1: directoriesOf(own.cpu, ['cpu', 'cpu,cpuacct', 'cpuacct,cpu']),
    cpusetV1: directoriesOf(own.cpuset, ['cpuset']),
  }
}

interface OwnCgroups {
  unified: string
  cpu: string
  cpuset: string
}

/** Read from /proc/self/cgroup; defaults to the root cgroup if there is no such file. */
function readOwnCgroups(root: string): OwnCgroups {
  const own: OwnCgroups = { unified: '/', cpu: '/', cpuset: '/' }
  for (const line of (readSysFile(join(root, 'proc/self/cgroup')) ?? '').split('\n')) {
    const match = /^(\d+):([^:]*):(.*)$/.exec(line)
    if (!match) continue
    const [, hierarchy, controllers, path] = match as unknown as [string, string, string, string]
    if (hierarchy === '0' && controllers === '') own.unified = path
    const names = controllers.split(',')
    if (names.includes('cpu')) own.cpu = path
    if (names.includes('cpuset')) own.cpuset = path
  }
  return own
}

/** By mount point, the part of a hierarchy that is mounted there: a container may see only its own. */
function readMountRoots(root: string): Map<string, string> {
  const mounts = (readSysFile(join(root, 'proc/self/mountinfo')) ?? '')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' '))
  // of several mounts at one point, the last hides the others
  return new Map(mounts.map(([, , , mountRoot, point]) => [point!, mountRoot!]))
}

function insideMount(path: string, mountRoot = '/'): string {
  return path === mountRoot || path.startsWith(`${mountRoot}/`) ? path.slice(mountRoot.length) : path
}

/** The cgroup's directory followed by its ancestors up to the mount point; some of them may not exist. */
function ancestors(mountPoint: string, path: string): string[] {
  const steps = path.split('/').filter((step) => step !== '' && step !== '..')
  return Array.from({ length: steps.length + 1 }, (_, up) => join(mountPoint, ...steps.slice(0, steps.length - up)))
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
