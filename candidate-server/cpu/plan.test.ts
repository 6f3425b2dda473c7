import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FakeMachine, range, singleThreaded, writeSysroot } from '../testing/fake-sysroot.ts'
import { codesOf, cpusOf, plan, problemOf } from '../testing/plan-machine.ts'
import { parseCpuList } from './cpu-list.ts'
import { describePlan } from './describe-plan.ts'
import { type PlanRequest, planJson } from './plan.ts'
import { planModels } from './plan-models.ts'
import { readCpuLimits, readTopology } from './topology.ts'

const auto: PlanRequest = { instances: 'auto', threads: 'auto' }

describe('physical cores', () => {
  test('split siblings (0,4) and adjacent siblings (0,1) both give one CPU per core', () => {
    const split = plan({ cores: range(0, 4).map((i) => [i, i + 4]) }, { instances: 4, threads: 1 })
    expect(split).toMatchObject({ usableCores: [0, 1, 2, 3], smt: 'on' })
    const adjacent = plan({ cores: range(0, 4).map((i) => [2 * i, 2 * i + 1]) }, { instances: 4, threads: 1 })
    expect(adjacent).toMatchObject({ usableCores: [0, 2, 4, 6], smt: 'on' })
    expect(cpusOf(adjacent)).toEqual([[0], [2], [4], [6]])
  })

  test('if the first sibling is not allowed, a usable one represents the core', () => {
    const files = { 'proc/self/status': 'Name:\tnode\nCpus_allowed:\tca\nCpus_allowed_list:\t1,3,6-7' }
    const machine = { cores: range(0, 4).map((i) => [2 * i, 2 * i + 1]), files }
    expect(plan(machine, { instances: 3, threads: 1 }).usableCores).toEqual([1, 3, 6])
  })

  test('offline CPUs are ignored, and an offline sibling leaves its core usable', () => {
    const machine = { cores: range(0, 4).map((i) => [i, i + 4]), offline: [0, 2, 6] }
    const { usableCores, smt } = plan(machine, { instances: 1, threads: 'auto' })
    expect({ usableCores, smt }).toEqual({ usableCores: [1, 3, 4], smt: 'on' })
  })

  test('affinity and cpuset both restrict the CPUs', () => {
    const files = {
      'proc/self/status': 'Cpus_allowed_list:\t0-5',
      'proc/self/cgroup': '0::/pod/main',
      'sys/fs/cgroup/pod/cpuset.cpus.effective': '2-7',
      'sys/fs/cgroup/cpuset.cpus.effective': '0-7',
    }
    expect(plan({ cores: singleThreaded(8), files }, { instances: 1, threads: 'auto' }).usableCores).toEqual([
      2, 3, 4, 5,
    ])
  })

  test('an empty intersection is refused with a remedy', () => {
    const files = { 'proc/self/status': 'Cpus_allowed_list:\t0', 'sys/fs/cgroup/cpuset.cpus.effective': '1' }
    expect(problemOf({ cores: singleThreaded(2), files }, auto)).toMatchObject({
      code: 'NO_CORES',
      message: expect.stringContaining('widen'),
    })
  })

  test.each([
    [1, '1'],
    [2, '1-2'],
  ])('contradictory sibling lists never assign a CPU twice: that of CPU %i is %s', (cpu, list) => {
    const files = { [`sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`]: list }
    const machine = { cores: [[0, 1], [2], [3]], files }
    const { cores } = readTopology({ sysroot: writeSysroot(machine) })
    expect(cores.map(({ siblings }) => siblings)).toEqual(machine.cores)
    expect(plan(machine, { instances: 3, threads: 1 }).usableCores).toEqual([0, 2, 3])
  })

  test('older kernels have only core_cpus_list, or no online file', () => {
    const sysroot = writeSysroot({
      cores: [],
      files: {
        'sys/devices/system/cpu/cpu0/topology/core_cpus_list': '0,2',
        'sys/devices/system/cpu/cpu1/topology/core_cpus_list': '1,3',
        'sys/devices/system/cpu/cpu2/topology/core_cpus_list': '0,2',
        'sys/devices/system/cpu/cpu3/topology/core_cpus_list': '1,3',
        'sys/devices/system/cpu/online': '0-3',
      },
    })
    expect(readTopology({ sysroot }).cores).toEqual([
      { siblings: [0, 2], node: 0, capacity: 1024 },
      { siblings: [1, 3], node: 0, capacity: 1024 },
    ])
  })

  test('the limits can be read without the files of each CPU', () => {
    const machine: FakeMachine = {
      cores: [[0, 4], [1, 5], [2], [3, 7]],
      files: {
        'sys/fs/cgroup/cpuset.cpus.effective': '1-7',
        'sys/fs/cgroup/cpu.max': '250000 100000',
        'proc/self/status': 'Cpus_allowed_list:\t0-5\nMems_allowed_list:\t0',
      },
    }
    const sysroot = writeSysroot(machine)
    for (const affinity of ['own', 'any'] as const) {
      const { allowedCpus, allowedMemoryNodes, quotaCpus } = readTopology({ sysroot, affinity })
      expect(allowedCpus).toEqual(affinity === 'own' ? [1, 2, 3, 4, 5] : [1, 2, 3, 4, 5, 7])
      expect(readCpuLimits({ sysroot, affinity })).toEqual({ allowedCpus, allowedMemoryNodes, quotaCpus })
    }
    for (const cpu of machine.cores.flat())
      rmSync(join(sysroot, `sys/devices/system/cpu/cpu${cpu}`), { recursive: true })
    expect(readCpuLimits({ sysroot }).allowedCpus).toEqual([1, 2, 3, 4, 5])
    rmSync(join(sysroot, 'sys/devices/system/cpu/online'))
    expect(() => readCpuLimits({ sysroot })).toThrow(/no CPU found/)
  })

  test('a damaged list is an error that names the file, and does not mean "all CPUs"', () => {
    const files = { 'sys/devices/system/cpu/cpu1/topology/thread_siblings_list': '1-' }
    expect(problemOf({ cores: singleThreaded(2), files }, auto)).toMatchObject({
      code: 'TOPOLOGY_UNREADABLE',
      message: expect.stringContaining('cpu1/topology/thread_siblings_list'),
    })
    expect(() => readTopology({ sysroot: '/nonexistent' })).toThrow(/no CPU found/)
  })
})

describe('counts', () => {
  test('auto leaves a core for the front if there are four or more', () => {
    expect(cpusOf(plan({ cores: singleThreaded(3) }))).toEqual([[0], [1], [2]])
    const four = plan({ cores: singleThreaded(4) })
    expect(cpusOf(four)).toEqual([[0], [1], [2]])
    expect(four).toMatchObject({ usableCores: [0, 1, 2, 3], frontCpus: [3], warnings: [], smt: 'off' })
  })

  test('with SMT the front gets the spare siblings, and auto uses every core', () => {
    const smt = plan({ cores: range(0, 4).map((i) => [i, i + 4]) })
    expect(cpusOf(smt)).toEqual([[0], [1], [2], [3]])
    expect(smt.frontCpus).toEqual([4, 5, 6, 7])
  })

  test('8 CPUs and 3 instances: 2 threads each, and a quarter is idle', () => {
    const three = plan({ cores: singleThreaded(8) }, { instances: 3, threads: 'auto' })
    expect(cpusOf(three)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ])
    expect(three.warnings).toEqual([{ code: 'IDLE_CORES', message: expect.stringContaining('2 of 8 cores (25 %)') }])
  })

  test('a given number of threads fills the cores with instances', () => {
    const two = plan({ cores: singleThreaded(8) }, { instances: 'auto', threads: 2 })
    expect(two.instances.map(({ threads }) => threads)).toEqual([2, 2, 2, 2])
    expect(two.warnings).toEqual([])
  })

  test('instances × threads exceeding the cores are refused with the numbers', () => {
    const error = problemOf({ cores: singleThreaded(8) }, { instances: 3, threads: 3 })
    expect(error.code).toBe('TOO_MANY_THREADS')
    expect(error.message).toMatch(/3 .* × 3 .* need 9 cores and there are 8/)
    expect(problemOf({ cores: singleThreaded(2) }, { instances: 3, threads: 'auto' }).code).toBe('TOO_MANY_THREADS')
    expect(problemOf({ cores: singleThreaded(2) }, { instances: 'auto', threads: 3 }).code).toBe('TOO_MANY_THREADS')
  })
})

describe('NUMA nodes', () => {
  // two sockets of 24 cores with SMT: CPUs 0-23 and 24-47, then their siblings 48-95
  const twoSockets = {
    cores: range(0, 48).map((i) => [i, i + 48]),
    nodes: [
      [...range(0, 24), ...range(48, 72)],
      [...range(24, 48), ...range(72, 96)],
    ],
  }

  test('2 × 24 cores take 4 × 12 without an instance spanning nodes', () => {
    const four = plan(twoSockets, { instances: 4, threads: 'auto' })
    expect(four.instances).toEqual([
      { cpus: range(0, 12), threads: 12, memoryNode: 0 },
      { cpus: range(12, 24), threads: 12, memoryNode: 0 },
      { cpus: range(24, 36), threads: 12, memoryNode: 1 },
      { cpus: range(36, 48), threads: 12, memoryNode: 1 },
    ])
    expect(four.warnings).toEqual([])
  })

  test('auto threads shrink until no instance spans nodes', () => {
    const three = plan(twoSockets, { instances: 3, threads: 'auto' })
    expect(three.instances.map(({ threads }) => threads)).toEqual([12, 12, 12])
    expect(codesOf(three)).toEqual(['IDLE_CORES'])
    for (const { cpus, memoryNode } of three.instances) {
      expect(cpus.every((cpu) => (cpu < 24 ? 0 : 1) === memoryNode)).toBe(true)
    }
  })

  test('counts that fit only across nodes are refused, unless spanning is allowed', () => {
    const request = { instances: 3, threads: 16 }
    expect(problemOf(twoSockets, request)).toMatchObject({
      code: 'NUMA_STRADDLE',
      message: expect.stringContaining('24 + 24'),
    })
    const allowed = plan(twoSockets, { ...request, straddleNuma: true })
    expect(allowed.instances.map(({ memoryNode }) => memoryNode)).toEqual([0, null, 1])
  })

  test('auto instances are as many as fit within the nodes, and one that fits in none is refused with the widest', () => {
    const machine = { cores: singleThreaded(8), nodes: [range(0, 3), range(3, 8)] }
    expect(cpusOf(plan(machine, { instances: 'auto', threads: 2 }))).toEqual([
      [0, 1],
      [3, 4],
      [5, 6],
    ])
    expect(problemOf(machine, { instances: 'auto', threads: 6 })).toMatchObject({
      code: 'NUMA_STRADDLE',
      message: expect.stringMatching(/^1 instance\(s\) × 6 .* \(3 \+ 5\) .* lower threads \(5 at most\)/),
    })
  })

  test('nodes with interleaved CPU numbers are distinguished', () => {
    const nodes = [range(0, 8).filter((i) => i % 2 === 0), range(0, 8).filter((i) => i % 2 === 1)]
    expect(plan({ cores: singleThreaded(8), nodes }, { instances: 2, threads: 4 }).instances).toEqual([
      { cpus: [0, 2, 4, 6], threads: 4, memoryNode: 0 },
      { cpus: [1, 3, 5, 7], threads: 4, memoryNode: 1 },
    ])
  })

  test('a machine without node folders has one node 0', () => {
    expect(plan({ cores: singleThreaded(2) }).instances.map(({ memoryNode }) => memoryNode)).toEqual([0, 0])
  })

  test('memory that the cpuset denies is not bound', () => {
    const files = { 'proc/self/status': 'Cpus_allowed_list:\t0-3\nMems_allowed_list:\t0' }
    const machine = {
      cores: singleThreaded(4),
      nodes: [
        [0, 1],
        [2, 3],
      ],
      files,
    }
    expect(plan(machine, { instances: 2, threads: 2 }).instances.map(({ memoryNode }) => memoryNode)).toEqual([0, null])
  })
})

describe('CPU quota', () => {
  const cores = singleThreaded(8)

  test.each([
    ['v2, own cgroup', { 'proc/self/cgroup': '0::/pod', 'sys/fs/cgroup/pod/cpu.max': '200000 100000' }, 2],
    [
      'v2, an ancestor is tighter',
      {
        'proc/self/cgroup': '0::/slice/pod/main',
        'sys/fs/cgroup/slice/cpu.max': '300000 100000',
        'sys/fs/cgroup/slice/pod/cpu.max': 'max 100000',
        'sys/fs/cgroup/slice/pod/main/cpu.max': '500000 100000',
      },
      3,
    ],
    ['v2, no cgroup file: the root', { 'sys/fs/cgroup/cpu.max': '100000 50000' }, 2],
    [
      'v1, an ancestor is tighter',
      {
        'proc/self/cgroup': '4:cpu,cpuacct:/pods/one\n3:cpuset:/',
        'sys/fs/cgroup/cpu,cpuacct/pods/one/cpu.cfs_quota_us': '-1',
        'sys/fs/cgroup/cpu,cpuacct/pods/one/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/cpu,cpuacct/pods/cpu.cfs_quota_us': '300000',
        'sys/fs/cgroup/cpu,cpuacct/pods/cpu.cfs_period_us': '50000',
      },
      6,
    ],
    [
      'v1 in a container that sees its cgroup as the root',
      {
        'proc/self/cgroup': '4:cpu:/docker/abc/own',
        'proc/self/mountinfo': [
          '36 31 8:1 /docker /var/lib/docker rw - ext4 /dev/sda1 rw',
          '38 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu',
        ].join('\n'),
        'sys/fs/cgroup/cpu/own/cpu.cfs_quota_us': '400000',
        'sys/fs/cgroup/cpu/own/cpu.cfs_period_us': '100000',
      },
      4,
    ],
    [
      'v1 in a container that sees more of it, and less, at other mount points',
      {
        'proc/self/cgroup': '4:cpu:/docker/abc/own',
        'proc/self/mountinfo': [
          '36 31 0:29 /docker /host/sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu',
          '37 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu',
          '38 37 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu',
          '39 31 0:30 /docker/abc/own /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd',
        ].join('\n'),
        'sys/fs/cgroup/cpu/own/cpu.cfs_quota_us': '400000',
        'sys/fs/cgroup/cpu/own/cpu.cfs_period_us': '100000',
      },
      4,
    ],
  ])('%s', (_, files, quota) => {
    const capped = plan({ cores, files }, { instances: 1, threads: 'auto' })
    expect(capped.quotaCpus).toBe(quota)
    expect(capped.usableCores).toEqual(range(0, quota))
  })

  test('v1 cpusets apply', () => {
    const files = { 'proc/self/cgroup': '3:cpuset:/a\n2:memory:/b', 'sys/fs/cgroup/cpuset/a/cpuset.cpus': '4-5' }
    expect(plan({ cores, files }).usableCores).toEqual([4, 5])
  })

  test('a fraction is rounded down, warns of throttling, and never goes below one core', () => {
    const twoAndAHalf = plan({ cores, files: { 'sys/fs/cgroup/cpu.max': '250000 100000' } })
    expect(twoAndAHalf).toMatchObject({ quotaCpus: 2.5, usableCores: [0, 1] })
    expect(codesOf(twoAndAHalf)).toEqual(['QUOTA_THROTTLING'])
    const half = plan({ cores, files: { 'sys/fs/cgroup/cpu.max': '50000 100000' } })
    expect(half).toMatchObject({ quotaCpus: 0.5, usableCores: [0] })
    expect(codesOf(half)).toEqual(['QUOTA_THROTTLING'])
  })

  test('a quota with room for the front does not warn', () => {
    const four = plan({ cores, files: { 'sys/fs/cgroup/cpu.max': '400000 100000' } })
    expect(four.instances).toHaveLength(3)
    expect(four.warnings).toEqual([])
  })

  test('capped cores are still placed within nodes', () => {
    const files = { 'sys/fs/cgroup/cpu.max': '600000 100000' }
    const nodes = [range(0, 4), range(4, 8)]
    const two = plan({ cores, nodes, files }, { instances: 2, threads: 3 })
    expect(two.instances).toEqual([
      { cpus: [0, 1, 2], threads: 3, memoryNode: 0 },
      { cpus: [4, 5, 6], threads: 3, memoryNode: 1 },
    ])
    expect(two.usableCores).toEqual([0, 1, 2, 4, 5, 6])
  })
})

describe('a virtual machine', () => {
  const flags = (words: string) => ({ 'proc/cpuinfo': `processor\t: 0\nflags\t\t: ${words}` })

  test('one thread per core is unverifiable under a hypervisor, and means SMT off on bare metal', () => {
    const machine = plan({ cores: singleThreaded(2), files: flags('fpu hypervisor avx2') })
    expect(machine.smt).toBe('unverifiable')
    expect(codesOf(machine)).toContain('SMT_UNVERIFIABLE')
    expect(plan({ cores: singleThreaded(2), files: flags('fpu avx2') })).toMatchObject({ smt: 'off', warnings: [] })
  })

  test('raises no doubt about a single thread, which has a core to itself anyway', () => {
    const machine = { cores: singleThreaded(2), files: flags('fpu hypervisor avx2') }
    expect(codesOf(plan(machine, { instances: 1, threads: 1 }))).not.toContain('SMT_UNVERIFIABLE')
    expect(codesOf(plan(machine, { instances: 1, threads: 2 }))).toContain('SMT_UNVERIFIABLE')
  })
})

describe('siblings that the system does not report', () => {
  const online = { 'sys/devices/system/cpu/online': '0-3' }
  const siblings = (cpu: number, list: string) => ({
    [`sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`]: list,
  })

  test('of any CPU make SMT unverifiable', () => {
    const some = { ...online, ...siblings(0, '0'), ...siblings(1, '1'), ...siblings(2, '') }
    for (const files of [online, some]) {
      const machine = plan({ cores: [], files })
      expect(machine.smt).toBe('unverifiable')
      expect(machine.warnings).toContainEqual({
        code: 'SMT_UNVERIFIABLE',
        message: expect.stringContaining('does not report which CPUs share a core'),
      })
    }
  })

  test('do not hide the SMT that others show', () => {
    expect(plan({ cores: [], files: { ...online, ...siblings(0, '0-1') } }).smt).toBe('on')
  })
})

describe('several models', () => {
  const place = (cpus: number, request: PlanRequest, models: string[]) => {
    const topology = readTopology({ sysroot: writeSysroot({ cores: singleThreaded(cpus) }) })
    const { plan: whole, instances } = planModels(
      topology,
      request,
      models.map((name) => ({ name })),
    )
    const of = (model: string) => instances.filter((instance) => instance.model === model).map(({ cpus }) => cpus)
    return { whole, instances, of }
  }

  test('auto deals the cores out in turn', () => {
    const { of, instances } = place(6, auto, ['a', 'b'])
    expect(of('a')).toEqual([[0], [2], [4]])
    expect(of('b')).toEqual([[1], [3]])
    expect(instances.every(({ shared }) => !shared)).toBe(true)
  })

  test('a given count applies to each model', () => {
    const { of } = place(8, { instances: 2, threads: 'auto' }, ['a', 'b'])
    expect(of('a')).toEqual([
      [0, 1],
      [4, 5],
    ])
    expect(of('b')).toEqual([
      [2, 3],
      [6, 7],
    ])
  })

  test('too few cores are shared, with a warning and without spinning', () => {
    const { of, whole, instances } = place(2, auto, ['a', 'b', 'c'])
    expect([of('a'), of('b'), of('c')]).toEqual([[[0]], [[1]], [[0]]])
    expect(codesOf(whole)).toContain('CORES_SHARED')
    expect(instances.map(({ model, shared }) => [model, shared])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ])
    expect(place(2, { instances: 2, threads: 1 }, ['a', 'b']).of('b')).toEqual([[0], [1]])
  })
})

test('the plan is printed in words and as JSON', () => {
  const made = plan({ cores: singleThreaded(8) }, { instances: 3, threads: 2 })
  expect(Object.keys(planJson(made))).toEqual(['usableCores', 'smt', 'quotaCpus', 'instances', 'warnings'])
  expect(describePlan(made, made.instances)).toContain('instance 1    CPUs 2-3, 2 threads, memory of node 0')
  expect(describePlan(made, made.instances)).toContain('IDLE_CORES')
})

test('CPU lists are read as the kernel writes them', () => {
  expect(parseCpuList('0-3,8,10-11\n')).toEqual([0, 1, 2, 3, 8, 10, 11])
  expect(parseCpuList('\n')).toEqual([])
  for (const damaged of ['1-', '3-1', 'a', '0,,1', '-1']) expect(() => parseCpuList(damaged)).toThrow(RangeError)
})
