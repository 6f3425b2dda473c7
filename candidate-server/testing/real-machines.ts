/** For tests: CPUs of real machines, as their kernels number them. Facts only, each with its source. */
import { parseCpuList } from '../cpu/cpu-list.ts'
import { type FakeMachine, range, singleThreaded } from './fake-sysroot.ts'

const capacities = (byList: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(byList).flatMap(([list, capacity]) =>
      parseCpuList(list).map((cpu) => [`sys/devices/system/cpu/cpu${cpu}/cpu_capacity`, String(capacity)] as const),
    ),
  )

/**
 * Intel Core Ultra 9 185H, a laptop. The first core's sibling is CPU 5, the others' the next CPU; ten efficiency cores
 * of two kinds. util-linux, tests/expected/lscpu/lscpu-x86_64-meteor_lake; the kinds are those its kernel lists: cores
 * with siblings and cores without.
 */
export const meteorLake: FakeMachine = {
  cores: [[0, 5], [1, 2], [3, 4], [6, 7], [8, 9], [10, 11], ...range(12, 22).map((cpu) => [cpu])],
  nodes: [range(0, 22)],
  files: { 'sys/devices/cpu_core/cpus': '0-11', 'sys/devices/cpu_atom/cpus': '12-21' },
}

/**
 * Two AMD EPYC 7451 with 24 cores each, on four dies that each have a memory node. util-linux,
 * tests/expected/lscpu/lscpu-x86_64-epyc_7451.
 */
export const epyc7451: FakeMachine = {
  cores: range(0, 48).map((cpu) => [cpu, cpu + 48]),
  nodes: ['0-5,48-53', '6-11,54-59', '12-17,60-65', '18-23,66-71', '24-29,72-77', '30-35,78-83', '36-41,84-89']
    .concat('42-47,90-95')
    .map(parseCpuList),
}

/**
 * Four Intel Xeon X7550 with eight cores each, their CPUs numbered across the sockets in turn. Only one memory node
 * lists its CPUs, which are half of all. util-linux, tests/expected/lscpu/lscpu-x86_64-64cpu.
 */
export const xeonX7550: FakeMachine = {
  cores: range(0, 32).map((cpu) => [cpu, cpu + 32]),
  nodes: [range(0, 64).filter((cpu) => cpu % 2 === 0)],
}

/**
 * NVIDIA GB10 (DGX Spark), arm64: two clusters, each with five Cortex-A725 followed by five Cortex-X925. hwloc,
 * tests/hwloc/linux/nvidia-dgx-gb10.output, with the kernel's capacities.
 */
export const nvidiaGb10: FakeMachine = {
  cores: singleThreaded(20),
  nodes: [range(0, 20)],
  files: {
    ...capacities({ '0-4,10-14': 718, '5-9,15-19': 997 }),
    'proc/cpuinfo': 'processor\t: 0\nFeatures\t: fp asimd asimddp sve i8mm bf16\nCPU part\t: 0xd87',
  },
}

/** A virtual machine with two CPUs of an Intel Xeon (family 6, model 207), Linux 6.18, cgroup v1 beside v2. */
export const smallVirtualMachine: FakeMachine = {
  cores: singleThreaded(2),
  nodes: [[0, 1]],
  files: {
    'proc/cpuinfo': 'processor\t: 0\nflags\t\t: fpu vme sse2 ht avx512_vnni hypervisor amx_int8',
    'proc/self/cgroup': '4:memory:/service\n3:cpuset:/\n2:cpuacct:/\n1:cpu:/\n0::/',
    'proc/self/status': 'Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\nMems_allowed_list:\t0',
    'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1',
    'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/cpuset/cpuset.cpus': '0-1',
    'sys/fs/cgroup/cpuset/cpuset.effective_cpus': '0-1',
  },
}

const pairs = range(0, 4).map((core) => [2 * core, 2 * core + 1])

/** A virtual machine with two sockets, of which the second has no memory. Linux 6.12 in QEMU. */
export const socketWithoutMemory: FakeMachine = {
  cores: pairs,
  nodes: [range(0, 4), range(4, 8)],
  files: { 'proc/self/status': 'Cpus_allowed_list:\t0-7\nMems_allowed_list:\t0' },
}

/** A virtual machine with a second node that is memory alone, as CXL has it. Linux 6.12 in QEMU. */
export const memoryWithoutCpus: FakeMachine = {
  cores: pairs,
  nodes: [range(0, 8), []],
  files: { 'proc/self/status': 'Cpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1' },
}
