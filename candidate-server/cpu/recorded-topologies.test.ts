/** Machines as their kernels describe them, and the plans made for them. */
import { describe, expect, test } from 'vitest'
import { range, singleThreaded } from '../testing/fake-sysroot.ts'
import { codesOf, cpusOf, plan, problemOf } from '../testing/plan-machine.ts'
import type { CpuPlan } from './cpu-plan.ts'

/** No CPU is used twice, nor two CPUs of one core. */
function expectDisjointCores(made: CpuPlan, siblings: number[][]): void {
  const cpus = cpusOf(made).flat()
  const cores = cpus.map((cpu) => siblings.findIndex((core) => core.includes(cpu)))
  expect(new Set(cores).size).toBe(cpus.length)
}

describe('two sockets × 24 cores × 2 siblings', () => {
  // Intel's usual numbering: all cores of both sockets first, then their siblings
  const offset = {
    cores: range(0, 48).map((i) => [i, i + 48]),
    nodes: [
      [...range(0, 24), ...range(48, 72)],
      [...range(24, 48), ...range(72, 96)],
    ],
  }
  // virtual machines and some firmware: siblings are adjacent
  const adjacent = {
    cores: range(0, 48).map((i) => [2 * i, 2 * i + 1]),
    nodes: [range(0, 48), range(48, 96)],
  }

  test.each([
    ['offset by the core count', offset, range(0, 24), range(24, 48)],
    ['adjacent', adjacent, range(0, 24).map((i) => 2 * i), range(24, 48).map((i) => 2 * i)],
  ])('siblings %s: 2 × 24 and 4 × 12 use whole cores with their node’s memory', (_, machine, first, second) => {
    const two = plan(machine, { instances: 2, threads: 24 })
    expect(two.instances).toEqual([
      { cpus: first, threads: 24, memoryNode: 0 },
      { cpus: second, threads: 24, memoryNode: 1 },
    ])
    const four = plan(machine, { instances: 4, threads: 12 })
    expect(four.instances.map(({ cpus, memoryNode }) => [cpus.length, memoryNode])).toEqual([
      [12, 0],
      [12, 0],
      [12, 1],
      [12, 1],
    ])
    for (const made of [two, four, plan(machine)]) {
      expectDisjointCores(made, machine.cores)
      expect(made).toMatchObject({ smt: 'on', warnings: [] })
    }
    expect(plan(machine).instances).toHaveLength(48)
    expect(two.frontCpus).toEqual(machine.cores.map(([, sibling]) => sibling))
  })

  test('a cpuset with holes leaves the remaining cores of both sockets', () => {
    const files = { 'sys/fs/cgroup/cpuset.cpus.effective': '2-5,50-51,30,78,40-41' }
    const made = plan({ ...offset, files }, { instances: 2, threads: 'auto' })
    expect(made.usableCores).toEqual([2, 3, 4, 5, 30, 40, 41])
    expect(made.instances).toEqual([
      { cpus: [2, 3, 4], threads: 3, memoryNode: 0 },
      { cpus: [30, 40, 41], threads: 3, memoryNode: 1 },
    ])
    // the idle core, and the siblings
    expect(made.frontCpus).toEqual([5, 50, 51, 78])
  })

  test('a cpuset with only the second siblings plans on those', () => {
    const files = { 'sys/fs/cgroup/cpuset.cpus.effective': '48-51' }
    expect(cpusOf(plan({ ...offset, files }, { instances: 2, threads: 2 }))).toEqual([
      [48, 49],
      [50, 51],
    ])
  })
})

describe('12 cores × 2 sockets, a pod of 8 CPUs', () => {
  const sockets = {
    cores: range(0, 24).map((i) => [i, i + 24]),
    nodes: [
      [...range(0, 12), ...range(24, 36)],
      [...range(12, 24), ...range(36, 48)],
    ],
  }
  const podV2 = {
    'proc/self/cgroup': '0::/kubepods.slice/kubepods-burstable.slice/pod7/app',
    'sys/fs/cgroup/kubepods.slice/cpu.max': 'max 100000',
    'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/cpu.max': 'max 100000',
    'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod7/cpu.max': '800000 100000',
    'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod7/app/cpu.max': '800000 100000',
    'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod7/app/cpuset.cpus.effective': '0-47',
  }
  const podV1 = {
    'proc/self/cgroup': '5:cpu,cpuacct:/kubepods/burstable/pod7/app\n4:cpuset:/kubepods/burstable/pod7/app',
    'sys/fs/cgroup/cpu,cpuacct/kubepods/burstable/pod7/app/cpu.cfs_quota_us': '800000',
    'sys/fs/cgroup/cpu,cpuacct/kubepods/burstable/pod7/app/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/cpu,cpuacct/kubepods/burstable/pod7/cpu.cfs_quota_us': '900000',
    'sys/fs/cgroup/cpu,cpuacct/kubepods/burstable/pod7/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/cpuset/kubepods/burstable/pod7/app/cpuset.effective_cpus': '0-47',
  }

  test.each([
    ['v2', podV2],
    ['v1', podV1],
  ])('cgroup %s: threads follow the pod’s 8 CPUs and not the node’s 24', (_, files) => {
    const made = plan({ ...sockets, files }, { instances: 4, threads: 'auto' })
    expect(made.quotaCpus).toBe(8)
    expect(made.instances.map(({ threads, memoryNode }) => [threads, memoryNode])).toEqual([
      [2, 0],
      [2, 0],
      [2, 1],
      [2, 1],
    ])
    expect(problemOf({ ...sockets, files }, { instances: 4, threads: 12 }).message).toContain(
      'need 48 cores and there are 8',
    )
    expectDisjointCores(made, sockets.cores)
  })

  test.each([
    ['v2', podV2],
    ['v1', podV1],
  ])('cgroup %s: auto leaves the front one of the 8, because the quota counts spare siblings too', (_, files) => {
    const made = plan({ ...sockets, files })
    expect(made.instances).toHaveLength(7)
    expect(made.warnings).toEqual([])
    expectDisjointCores(made, sockets.cores)
  })

  test('auto uses every core if the quota has room for the front too', () => {
    const exclusive = { 'sys/fs/cgroup/cpuset.cpus.effective': '0-7,24-31' }
    const of = (quota: string) =>
      plan({ ...sockets, files: { ...exclusive, 'sys/fs/cgroup/cpu.max': `${quota} 100000` } })
    expect(of('900000')).toMatchObject({ instances: { length: 8 }, warnings: [] })
    expect(of('850000')).toMatchObject({ instances: { length: 7 }, warnings: [] })
  })

  test('the front gets what the instances leave, and under a quota whole cores of it', () => {
    const made = plan({ ...sockets, files: podV2 }, { instances: 2, threads: 4 })
    expect(made.frontCpus).toEqual(range(0, 48).filter((cpu) => !cpusOf(made).flat().includes(cpu)))
    expect(plan({ cores: singleThreaded(8), files: { 'sys/fs/cgroup/cpu.max': '400000 100000' } }).frontCpus).toEqual([
      3, 4, 5, 6, 7,
    ])
  })

  test('exclusive cores: the quota reads max, and the cpuset is the plan', () => {
    const files = {
      ...podV2,
      'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod7/cpu.max': 'max 100000',
      'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod7/app/cpu.max': 'max 100000',
      'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod7/app/cpuset.cpus.effective': '4-7,28-31',
    }
    const made = plan({ ...sockets, files }, { instances: 2, threads: 'auto' })
    expect(made).toMatchObject({
      quotaCpus: null,
      usableCores: [4, 5, 6, 7],
      frontCpus: [28, 29, 30, 31],
      warnings: [],
    })
    expect(cpusOf(made)).toEqual([
      [4, 5],
      [6, 7],
    ])
  })
})

describe('8 CPUs', () => {
  const machine = { cores: singleThreaded(8) }

  test('3 instances get 2 threads each, and a quarter is idle; 4 get 2 each, full', () => {
    const three = plan(machine, { instances: 3, threads: 'auto' })
    expect(three.instances.map(({ threads }) => threads)).toEqual([2, 2, 2])
    expect(three.warnings).toEqual([
      { code: 'IDLE_CORES', message: expect.stringMatching(/2 of 8 cores \(25 %\).*4 instances × 2 would use 8/) },
    ])
    const four = plan(machine, { instances: 4, threads: 'auto' })
    expect(four.instances.map(({ threads }) => threads)).toEqual([2, 2, 2, 2])
    expect(four.warnings).toEqual([])
  })
})

describe('cores of different speeds', () => {
  // 6 performance cores with siblings, 8 efficiency cores without
  const hybrid = {
    cores: [...range(0, 6).map((i) => [2 * i, 2 * i + 1]), ...range(12, 20).map((i) => [i])],
    files: { 'sys/devices/cpu_core/cpus': '0-11', 'sys/devices/cpu_atom/cpus': '12-19' },
  }

  test('instances use the fast ones while there are enough', () => {
    const made = plan(hybrid, { instances: 3, threads: 2 })
    expect(cpusOf(made)).toEqual([
      [0, 2],
      [4, 6],
      [8, 10],
    ])
    expect(codesOf(made)).toEqual(['IDLE_CORES'])
  })

  test('no instance mixes them, and slow ones are reported', () => {
    const made = plan(hybrid, { instances: 3, threads: 4 })
    expect(cpusOf(made)).toEqual([
      [0, 2, 4, 6],
      [12, 13, 14, 15],
      [16, 17, 18, 19],
    ])
    expect(made.warnings).toContainEqual({
      code: 'HYBRID_CORES',
      message: expect.stringMatching(/2 of 3 instance\(s\) are on slower cores.*≤ 6/),
    })
    expect(problemOf(hybrid, { instances: 1, threads: 10 })).toMatchObject({
      code: 'NUMA_STRADDLE',
      message: expect.stringContaining('(6 + 8)'),
    })
  })

  test('those of a third kind, which Linux calls low-power, are the slowest', () => {
    const files = {
      'sys/devices/cpu_core/cpus': '0-5',
      'sys/devices/cpu_atom/cpus': '6-13',
      'sys/devices/cpu_lowpower/cpus': '14-15',
    }
    const arrowLake = { cores: singleThreaded(16), files }
    expect(cpusOf(plan(arrowLake, { instances: 2, threads: 'auto' }))).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ])
    expect(cpusOf(plan(arrowLake)).flat()).toEqual(range(0, 15))
  })

  test.each([
    [1, [[0, 2, 4, 6, 8, 10]]],
    [
      3,
      [
        [0, 2],
        [4, 6],
        [8, 10],
      ],
    ],
    [4, [[0], [2], [4], [6]]],
  ])('%i instance(s) with auto threads stay on the fast ones', (instances, cpus) => {
    const made = plan(hybrid, { instances, threads: 'auto' })
    expect(cpusOf(made)).toEqual(cpus)
    expect(codesOf(made)).toEqual(['IDLE_CORES'])
  })

  test('more instances than fast cores get the threads that make the slowest instance fastest', () => {
    const made = plan(hybrid, { instances: 7, threads: 'auto' })
    expect(cpusOf(made)).toEqual([
      [0, 2],
      [4, 6],
      [8, 10],
      [12, 13],
      [14, 15],
      [16, 17],
      [18, 19],
    ])
    expect(codesOf(made)).toEqual(['HYBRID_CORES'])
  })

  test('with both counts auto every core gets an instance, and slow ones are reported', () => {
    const made = plan(hybrid)
    expect(made.instances).toHaveLength(14)
    expect(codesOf(made)).toEqual(['HYBRID_CORES'])
  })

  test('one instance takes three big cores rather than a single, slightly faster one', () => {
    const capacities = [405, 405, 405, 405, 900, 900, 900, 1024]
    const files = Object.fromEntries(
      capacities.map((capacity, cpu) => [`sys/devices/system/cpu/cpu${cpu}/cpu_capacity`, String(capacity)]),
    )
    expect(cpusOf(plan({ cores: singleThreaded(8), files }, { instances: 1, threads: 'auto' }))).toEqual([[4, 5, 6]])
  })

  test('of layouts that are equally fast, the one with the fewest threads is taken', () => {
    const files = Object.fromEntries(
      [512, 512, 512, 512, 1024, 1024].map((capacity, cpu) => [
        `sys/devices/system/cpu/cpu${cpu}/cpu_capacity`,
        String(capacity),
      ]),
    )
    expect(cpusOf(plan({ cores: singleThreaded(6), files }, { instances: 1, threads: 'auto' }))).toEqual([[4, 5]])
  })

  test.each([
    ['Intel: 8 performance cores, two of them favoured, and 8 efficiency cores', 8, [5_200_000, 5_400_000, 3_900_000]],
    ['AMD: 4 cores and 8 compact ones', 4, [5_100_000, 5_050_000, 3_300_000]],
  ])('a copy of system/cpu alone tells the kinds by their highest frequencies: %s', (_, fast, [usual, other, slow]) => {
    const frequencies = range(0, fast + 8).map((core) => (core >= fast ? slow : core < 2 ? other : usual))
    const files = Object.fromEntries(
      frequencies.map((khz, cpu) => [`sys/devices/system/cpu/cpu${cpu}/cpufreq/cpuinfo_max_freq`, String(khz)]),
    )
    const machine = { cores: singleThreaded(fast + 8), files }
    expect(cpusOf(plan(machine, { instances: 2, threads: fast / 2 }))).toEqual([
      range(0, fast / 2),
      range(fast / 2, fast),
    ])
    expect(problemOf(machine, { instances: 1, threads: fast + 8 })).toMatchObject({
      code: 'NUMA_STRADDLE',
      message: expect.stringContaining(`(${fast} + 8)`),
    })
    expect(codesOf(plan(machine, { instances: 2, threads: 4 }))).toContain(fast < 8 ? 'HYBRID_CORES' : 'IDLE_CORES')
  })

  test.each([
    ['by a capacity, as on arm64', 'cpu_capacity', ['446', '1024']],
    ['by their highest frequency', 'cpufreq/cpuinfo_max_freq', ['3300000', '5100000']],
  ])('big cores come first, though numbered last: told %s', (_, file, [small, big]) => {
    const files = Object.fromEntries(
      range(0, 8).map((cpu) => [`sys/devices/system/cpu/cpu${cpu}/${file}`, cpu < 4 ? small! : big!]),
    )
    const made = plan({ cores: singleThreaded(8), files }, { instances: 2, threads: 2 })
    expect(cpusOf(made)).toEqual([
      [4, 5],
      [6, 7],
    ])
    expect(codesOf(plan({ cores: singleThreaded(8), files }, { instances: 8, threads: 1 }))).toContain('HYBRID_CORES')
  })
})

test('an arm64 server: no flags line, no siblings, 64 cores on one node', () => {
  const files = { 'proc/cpuinfo': 'processor\t: 0\nFeatures\t: fp asimd asimddp sve i8mm\nCPU part\t: 0xd40' }
  const made = plan({ cores: singleThreaded(64), nodes: [range(0, 64)], files }, { instances: 8, threads: 'auto' })
  expect(made).toMatchObject({ smt: 'off', warnings: [] })
  expect(made.instances.every(({ threads, memoryNode }) => threads === 8 && memoryNode === 0)).toBe(true)
})

test('a VM that hides SMT is reported', () => {
  const files = { 'proc/cpuinfo': 'processor\t: 0\nflags\t\t: fpu avx2 hypervisor lahf_lm' }
  const made = plan({ cores: singleThreaded(8), files }, { instances: 8, threads: 1 })
  expect(made.smt).toBe('unverifiable')
  expect(made.warnings).toEqual([{ code: 'SMT_UNVERIFIABLE', message: expect.stringContaining('half as many') }])
})

test('so is one in a copy without proc/cpuinfo, where nothing says that it is none', () => {
  const control = (state: string) => ({ 'sys/devices/system/cpu/smt/control': state })
  const made = plan({ cores: singleThreaded(8), files: control('notsupported') }, { instances: 8, threads: 1 })
  expect(made.smt).toBe('unverifiable')
  expect(made.warnings).toEqual([
    { code: 'SMT_UNVERIFIABLE', message: expect.stringMatching(/no proc\/cpuinfo.*half as many/) },
  ])
  for (const state of ['off', 'forceoff', 'notimplemented']) {
    expect(plan({ cores: singleThreaded(8), files: control(state) }).smt, state).toBe('off')
  }
})

describe('isolated CPUs, between which the kernel moves no threads', () => {
  const cores = range(0, 8).map((i) => [2 * i, 2 * i + 1])
  const isolcpus = {
    'sys/devices/system/cpu/isolated': '12-15',
    'proc/self/status': 'Cpus_allowed_list:\t12-15',
  }
  const partition = (state: string) => ({
    'proc/self/cgroup': '0::/iso/app',
    'sys/devices/system/cpu/isolated': '',
    'sys/fs/cgroup/iso/cpuset.cpus.partition': state,
    'sys/fs/cgroup/iso/app/cpuset.cpus.partition': 'member',
    'sys/fs/cgroup/iso/app/cpuset.cpus.effective': '12-15',
  })

  const unbalanced = (above: string) => ({
    'proc/self/cgroup': '4:cpuset:/pod/app',
    'sys/fs/cgroup/cpuset/cpuset.sched_load_balance': above,
    'sys/fs/cgroup/cpuset/pod/cpuset.sched_load_balance': '0',
    'sys/fs/cgroup/cpuset/pod/app/cpuset.sched_load_balance': '0',
    'sys/fs/cgroup/cpuset/pod/app/cpuset.cpus': '12-15',
  })

  test.each([
    ['isolcpus', isolcpus],
    ['an isolated partition', partition('isolated')],
    ['cgroup v1 without load balancing', unbalanced('0')],
  ])('%s: an instance of several threads is warned of, several of one thread are not', (_, files) => {
    const one = plan({ cores, files }, { instances: 1, threads: 2 })
    expect(one.warnings).toEqual([
      { code: 'CPUS_ISOLATED', message: expect.stringMatching(/^CPUs 12,14 are isolated.*one thread per instance/) },
    ])
    expect(plan({ cores, files }, { instances: 2, threads: 1 }).warnings).toEqual([])
  })

  test.each(['root', 'member', 'isolated invalid (Cpu list in cpuset.cpus not exclusive)'])(
    'in a partition that is %s the kernel balances them',
    (state) => {
      expect(plan({ cores, files: partition(state) }, { instances: 1, threads: 2 }).warnings).toEqual([])
    },
  )

  test('on cgroup v1 the kernel balances them if it does so anywhere above', () => {
    expect(plan({ cores, files: unbalanced('1') }, { instances: 1, threads: 2 }).warnings).toEqual([])
  })
})

describe('nested quotas', () => {
  const files = (own: string, pod: string, slice: string) => ({
    'proc/self/cgroup': '0::/slice/pod/app',
    'sys/fs/cgroup/slice/cpu.max': slice,
    'sys/fs/cgroup/slice/pod/cpu.max': pod,
    'sys/fs/cgroup/slice/pod/app/cpu.max': own,
  })

  test.each([
    ['400000 100000', '600000 100000', 'max 100000', 4],
    ['600000 100000', '200000 50000', 'max 100000', 4],
    ['max 100000', 'max 100000', '300000 100000', 3],
    ['max 100000', 'max 100000', 'max 100000', null],
  ])('own %s, pod %s, slice %s', (own, pod, slice, quotaCpus) => {
    const made = plan({ cores: singleThreaded(8), files: files(own, pod, slice) }, { instances: 1, threads: 'auto' })
    expect(made.quotaCpus).toBe(quotaCpus)
    expect(made.usableCores).toHaveLength(quotaCpus ?? 8)
  })

  test('a hybrid hierarchy is limited by either version', () => {
    const both = {
      'proc/self/cgroup': '3:cpu,cpuacct:/app\n0::/app',
      'sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us': '200000',
      'sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us': '100000',
      'sys/fs/cgroup/unified/app/cpu.max': '500000 100000',
    }
    expect(plan({ cores: singleThreaded(8), files: both }).quotaCpus).toBe(2)
  })
})
