import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type CgroupLimits, readCgroupLimits } from './cgroup.ts'
import { PlanError } from './plan-error.ts'
import { numberedEntries, parseCpuListOf, readCpuListFile, readSysFile } from './sys-file.ts'

/** One physical core with its online logical CPUs, the first CPU first. */
export interface Core {
  siblings: number[]
  /** NUMA node; 0 on a machine without nodes, `null` for a CPU that no node lists. */
  node: number | null
  /** Speed relative to the machine's fastest core, from 0 to the kernel's 1024; 1024 if all cores are alike. */
  capacity: number
}

/** What may change while a process runs. */
export interface CpuLimits {
  /** Logical CPUs that this process may run on: affinity ∩ cpuset ∩ online. */
  allowedCpus: number[]
  /** NUMA nodes whose memory may be used; `null` if unknown. */
  allowedMemoryNodes: number[] | null
  quotaCpus: number | null
}

export interface Topology extends CpuLimits {
  cores: Core[]
  /** Whether the system reports every CPU's siblings; a CPU with unknown siblings counts as a core of its own. */
  siblingsKnown: boolean
  /** CPUs between which the kernel moves no threads. */
  isolatedCpus: number[]
  /** Whether the machine is virtual, which may hide SMT; `null` if that is unknown and SMT is not reported. */
  hypervisor: boolean | null
}

interface ReadOptions {
  /** A copy of the machine, with sys/… and optionally proc/…. */
  sysroot?: string | undefined
  /** `any` ignores the process's own mask. */
  affinity?: 'own' | 'any'
}

/** Throws a `PlanError`. */
export function readTopology({ sysroot, affinity = 'own' }: ReadOptions = {}): Topology {
  return hasSys(sysroot) ? readSysTopology(sysroot ?? '/', affinity) : topologyByCount()
}

/**
 * The same limits without the cores. On a machine with hundreds of CPUs their thousand files take 10 ms to read, in
 * which a server that looks for changes every few seconds would answer nobody. Throws a `PlanError`.
 */
export function readCpuLimits({ sysroot, affinity = 'own' }: ReadOptions = {}): CpuLimits {
  if (!hasSys(sysroot)) return topologyByCount()
  const root = sysroot ?? '/'
  return limitsAmong(listedOnline(root) ?? readOnlineCpus(root), root, readCgroupLimits(root), affinity)
}

const hasSys = (sysroot: string | undefined) => sysroot !== undefined || process.platform === 'linux'

const fullCapacity = 1024
/** The slower cores of hybrid x86, slowest first. The kernel lists the CPUs of each kind but not their speed. */
const slowKinds = { cpu_lowpower: 256, cpu_atom: 512 }
/**
 * Cores whose highest frequencies differ by less are of one kind. Favoured cores are up to a tenth faster than the
 * others, Intel's performance cores a fifth faster than its efficiency cores, and AMD's a third faster than its compact
 * ones.
 */
const likeShare = 0.85

/** Without /sys, only the operating system's CPU count is known. */
function topologyByCount(): Topology {
  const allowedCpus = Array.from({ length: availableParallelism() }, (_, cpu) => cpu)
  return {
    cores: allowedCpus.map((cpu) => ({ siblings: [cpu], node: 0, capacity: fullCapacity })),
    siblingsKnown: false,
    allowedCpus,
    allowedMemoryNodes: null,
    quotaCpus: null,
    isolatedCpus: [],
    hypervisor: null,
  }
}

function readSysTopology(sysroot: string, whose: 'own' | 'any'): Topology {
  const online = readOnlineCpus(sysroot)
  const cgroup = readCgroupLimits(sysroot)
  return {
    ...readCores(sysroot, online),
    ...limitsAmong(online, sysroot, cgroup, whose),
    isolatedCpus: [
      ...(readCpuListFile(join(sysroot, 'sys/devices/system/cpu/isolated')) ?? []),
      ...(cgroup.isIsolated ? (cgroup.cpus ?? []) : []),
    ],
    hypervisor: readHypervisor(sysroot),
  }
}

function limitsAmong(
  online: readonly number[],
  sysroot: string,
  { cpus, quotaCpus }: CgroupLimits,
  whose: 'own' | 'any',
): CpuLimits {
  const status = readSysFile(join(sysroot, 'proc/self/status'))
  const affinity = whose === 'own' ? statusList(status, 'Cpus_allowed_list') : undefined
  return {
    allowedCpus: online.filter((cpu) => (affinity?.includes(cpu) ?? true) && (cpus?.includes(cpu) ?? true)),
    allowedMemoryNodes: statusList(status, 'Mems_allowed_list') ?? null,
    quotaCpus,
  }
}

/** A copy may lack /proc/cpuinfo; `notsupported` then means SMT that is off in the firmware, or hidden. */
function readHypervisor(sysroot: string): boolean | null {
  const cpuinfo = readSysFile(join(sysroot, 'proc/cpuinfo'))
  if (cpuinfo !== undefined) return /^flags\s*:.*\bhypervisor\b/m.test(cpuinfo)
  return readSysFile(join(sysroot, 'sys/devices/system/cpu/smt/control')) === 'notsupported' ? null : false
}

function readOnlineCpus(sysroot: string): number[] {
  const directory = join(sysroot, 'sys/devices/system/cpu')
  const present = numberedEntries(directory, 'cpu')
  const online = (listedOnline(sysroot) ?? present).filter(
    (cpu) => readSysFile(join(directory, `cpu${cpu}/online`)) !== '0',
  )
  if (online.length === 0) {
    throw new PlanError(
      'TOPOLOGY_UNREADABLE',
      `no CPU found under ${directory}; expected ${directory}/online or cpuN folders`,
    )
  }
  return online
}

const listedOnline = (sysroot: string) => readCpuListFile(join(sysroot, 'sys/devices/system/cpu/online'))

/** Assigns each CPU to the first core that lists it, so that contradictory sibling lists never count it twice. */
function readCores(sysroot: string, online: number[]): Pick<Topology, 'cores' | 'siblingsKnown'> {
  const nodeOf = readNodes(sysroot)
  const capacityOf = readCapacities(sysroot, online)
  const taken = new Set<number>()
  const cores: Core[] = []
  let siblingsKnown = true
  for (const cpu of online) {
    if (taken.has(cpu)) continue
    const topology = join(sysroot, `sys/devices/system/cpu/cpu${cpu}/topology`)
    const listed =
      readCpuListFile(join(topology, 'thread_siblings_list')) ?? readCpuListFile(join(topology, 'core_cpus_list')) ?? []
    if (listed.length === 0) siblingsKnown = false
    const siblings = [...new Set([cpu, ...listed])].filter((sibling) => online.includes(sibling) && !taken.has(sibling))
    for (const sibling of siblings) taken.add(sibling)
    cores.push({ siblings, node: nodeOf(cpu), capacity: capacityOf(cpu) })
  }
  return { cores, siblingsKnown }
}

function readNodes(sysroot: string): (cpu: number) => number | null {
  const directory = join(sysroot, 'sys/devices/system/node')
  const nodes = numberedEntries(directory, 'node').map((node) => ({
    node,
    cpus: readCpuListFile(join(directory, `node${node}/cpulist`)) ?? [],
  }))
  if (nodes.every(({ cpus }) => cpus.length === 0)) return () => 0
  return (cpu) => nodes.find(({ cpus }) => cpus.includes(cpu))?.node ?? null
}

/**
 * Arm kernels report a capacity per CPU; x86 kernels list the CPUs of each kind on one of Intel's hybrid machines. Where
 * neither is there, as in a copy of system/cpu alone, the highest frequencies tell.
 */
function readCapacities(sysroot: string, online: readonly number[]): (cpu: number) => number {
  const slow = Object.entries(slowKinds)
    .map(([kind, capacity]) => ({ capacity, cpus: readCpuListFile(join(sysroot, `sys/devices/${kind}/cpus`)) ?? [] }))
    .filter(({ cpus }) => cpus.length > 0)
  // all CPUs have such a file or none: hundreds of vain looks each few seconds would hold up requests
  const ofEach = (file: string) => {
    const read = (cpu: number) => Number(readSysFile(join(sysroot, `sys/devices/system/cpu/cpu${cpu}`, file)))
    return read(online[0]!) > 0 ? read : () => 0
  }
  const capacity = ofEach('cpu_capacity')
  const byFrequency = slow.length > 0 ? undefined : capacitiesOf(online, ofEach('cpufreq/cpuinfo_max_freq'))
  return (cpu) =>
    capacity(cpu) || (slow.find(({ cpus }) => cpus.includes(cpu))?.capacity ?? byFrequency?.get(cpu) ?? fullCapacity)
}

/** Counts each core as fast as the fastest of its kind. CPUs without a frequency are left out. */
function capacitiesOf(cpus: readonly number[], frequency: (cpu: number) => number): Map<number, number> {
  const fastestFirst = cpus
    .map((cpu) => ({ cpu, frequency: frequency(cpu) }))
    .filter((one) => one.frequency > 0)
    .sort((a, b) => b.frequency - a.frequency)
  const fastest = fastestFirst[0]?.frequency ?? 0
  let kind = fastest
  return new Map(
    fastestFirst.map((one) => {
      if (one.frequency < likeShare * kind) kind = one.frequency
      return [one.cpu, Math.round((fullCapacity * kind) / fastest)]
    }),
  )
}

function statusList(status: string | undefined, field: string): number[] | undefined {
  const text = new RegExp(`^${field}:\\s*(\\S*)\\s*$`, 'm').exec(status ?? '')?.[1]
  return text === undefined ? undefined : parseCpuListOf(`/proc/self/status ${field}`, text)
}
