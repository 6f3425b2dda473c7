import { describe, expect, test } from 'vitest'
import { type FakeMachine, range, singleThreaded, writeSysroot } from '../testing/fake-sysroot.ts'
import type { PlanRequest } from './plan.ts'
import { type ModelDemand, planModels } from './plan-models.ts'
import { readTopology } from './topology.ts'

const auto: PlanRequest = { instances: 'auto', threads: 'auto' }
const place = (cores: number[][], request: PlanRequest, models: ModelDemand[], files: Record<string, string> = {}) =>
  placeOn({ cores, files }, request, models)
function placeOn(machine: FakeMachine, request: PlanRequest, models: ModelDemand[]) {
  const { plan, instances } = planModels(readTopology({ sysroot: writeSysroot(machine) }), request, models)
  const of = (model: string, group?: number) =>
    instances
      .filter((instance) => instance.model === model && (group === undefined || instance.group === group))
      .map(({ cpus }) => cpus)
  return { plan, instances, of, codes: plan.warnings.map(({ code }) => code) }
}

describe('groups of one model', () => {
  const groups = [
    { instances: 3, threads: 1 },
    { instances: 1, threads: 2 },
    { instances: 1, threads: 3 },
  ]

  test('are on disjoint cores, each of its own size', () => {
    const { of, instances, codes } = place(singleThreaded(8), auto, [{ name: 'bert', groups }])
    expect(of('bert', 2)).toEqual([[0, 1, 2]])
    expect(of('bert', 1)).toEqual([[3, 4]])
    expect(of('bert', 0)).toEqual([[5], [6], [7]])
    expect(instances.every(({ shared }) => !shared)).toBe(true)
    expect(codes).toEqual([])
  })

  test('that need more cores than there are, are refused with the total', () => {
    expect(() => place(singleThreaded(6), auto, [{ name: 'bert', groups }])).toThrow(
      /3 instance\(s\) × 1 .* \+ 1 instance\(s\) × 2 .* \+ 1 instance\(s\) × 3 .* need 8 cores and there are 6/,
    )
  })

  test.each<[string, Partial<FakeMachine>]>([
    ['nodes', { nodes: [range(0, 4), range(4, 10)] }],
    ['speeds', { files: { 'sys/devices/cpu_atom/cpus': '0-3' } }],
  ])('that fill cores of different %s are not refused for want of a better place for the widest', (_, own) => {
    const uneven = [
      { instances: 1, threads: 4 },
      { instances: 2, threads: 3 },
    ]
    const { of } = placeOn({ cores: singleThreaded(10), ...own }, auto, [{ name: 'bert', groups: uneven }])
    expect([of('bert', 0), of('bert', 1)]).toEqual([
      [[0, 1, 2, 3]],
      [
        [4, 5, 6],
        [7, 8, 9],
      ],
    ])
  })

  test('that leave cores idle, report it', () => {
    expect(place(singleThreaded(10), auto, [{ name: 'bert', groups }]).plan.warnings).toEqual([
      { code: 'IDLE_CORES', message: expect.stringContaining('2 of 10 cores (20 %)') },
    ])
  })
})

describe('a model with counts of its own', () => {
  test('is placed first, and the others share what is left', () => {
    const { of, plan, codes } = place(singleThreaded(8), auto, [
      { name: 'a' },
      { name: 'big', instances: 1, threads: 4 },
      { name: 'b' },
    ])
    expect(of('big')).toEqual([[0, 1, 2, 3]])
    // one of the remaining four is for the front
    expect(of('a')).toEqual([[4], [6]])
    expect(of('b')).toEqual([[5]])
    expect(plan).toMatchObject({ usableCores: range(0, 8), frontCpus: [7] })
    expect(codes).toEqual([])
  })

  test('of instances alone shares the cores by threads if all models have one', () => {
    const counts = [
      { name: 'a', instances: 2 },
      { name: 'b', instances: 1 },
    ]
    const { of, codes } = place(singleThreaded(8), auto, counts)
    expect(of('a')).toEqual([
      [0, 1],
      [4, 5],
    ])
    expect(of('b')).toEqual([[2, 3]])
    expect(codes).toEqual(['IDLE_CORES'])
    const beside = place(singleThreaded(8), auto, [
      ...counts,
      { name: 'groups', groups: [{ instances: 2, threads: 1 }] },
    ])
    expect([beside.of('groups'), beside.of('a'), beside.of('b')]).toEqual([
      [[0], [1]],
      [
        [2, 3],
        [6, 7],
      ],
      [[4, 5]],
    ])
  })

  test('of instances alone has one thread each beside a model that takes as many instances as fit', () => {
    const { of } = place(singleThreaded(8), auto, [{ name: 'a', instances: 2 }, { name: 'b' }])
    expect(of('a')).toEqual([[0], [1]])
    expect(of('b')).toEqual([[2], [3], [4], [5], [6]])
  })

  test('takes its cores’ siblings and its part of the quota', () => {
    const smt = range(0, 6).map((i) => [i, i + 6])
    const files = { 'sys/fs/cgroup/cpu.max': '400000 100000' }
    const models = [{ name: 'big', instances: 1, threads: 2 }, { name: 'rest' }]
    const { of, plan } = place(smt, auto, models, files)
    expect(of('big')).toEqual([[0, 1]])
    expect(of('rest')).toEqual([[2], [3]])
    expect(plan.quotaCpus).toBe(4)
    const whole = place(smt, auto, [{ name: 'big', instances: 1, threads: 4 }, { name: 'rest' }], files)
    expect([whole.of('big'), whole.of('rest')]).toEqual([[[0, 1, 2, 3]], [[0]]])
    const sockets = { cores: singleThreaded(8), nodes: [range(0, 4), range(4, 8)], files }
    expect(placeOn(sockets, auto, models).plan.usableCores).toEqual([0, 1, 4, 5])
  })

  test('is listed and warned of together with the others', () => {
    const capacity = (cpu: number) => [`sys/devices/system/cpu/cpu${cpu}/cpu_capacity`, cpu < 4 ? '512' : '1024']
    const { plan } = place(
      singleThreaded(8),
      { instances: 'auto', threads: 2 },
      [{ name: 'big', instances: 1, threads: 4 }, { name: 'rest' }],
      {
        'proc/cpuinfo': 'flags\t\t: fpu hypervisor\n',
        'sys/devices/system/cpu/isolated': '0-7',
        ...Object.fromEntries(range(0, 8).map(capacity)),
      },
    )
    expect(plan.instances.map(({ cpus }) => cpus)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5, 6, 7],
    ])
    expect(plan.usableCores).toEqual(range(0, 8))
    expect(plan.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('the 8 CPUs of instances may share physical cores'),
      expect.stringContaining('2 of 3 instance(s) are on slower cores'),
      expect.stringContaining('CPUs 0-7 are isolated'),
    ])
  })

  test('on too few cores, all models share the same ones, with a warning and without spinning', () => {
    const { of, instances, codes } = place(singleThreaded(2), auto, [
      { name: 'big', instances: 1, threads: 2 },
      { name: 'rest' },
    ])
    expect(of('big')).toEqual([[0, 1]])
    expect(of('rest')).toEqual([[0]])
    expect(codes).toContain('CORES_SHARED')
    expect(instances.every(({ shared }) => shared)).toBe(true)
  })

  test('that does not fit by itself is refused even if others share cores', () => {
    expect(() => place(singleThreaded(2), auto, [{ name: 'big', instances: 2, threads: 2 }, { name: 'rest' }])).toThrow(
      /need 4 cores and there are 2/,
    )
  })
})

test.each<[string, PlanRequest, Omit<ModelDemand, 'name'>]>([
  ['instances', { instances: 3, threads: 'auto' }, { instances: 3 }],
  ['threads', { instances: 'auto', threads: 2 }, { threads: 2 }],
  ['both', { instances: 2, threads: 3 }, { instances: 2, threads: 3 }],
])('the %s of a single model are planned like those for all', (_, request, own) => {
  const { of, plan } = place(singleThreaded(8), auto, [{ name: 'a', ...own }])
  const forAll = place(singleThreaded(8), request, [{ name: 'a' }])
  expect(of('a')).toEqual(forAll.of('a'))
  expect(plan).toEqual(forAll.plan)
})

describe('counts for all models', () => {
  const nodes = [range(0, 5), range(5, 8)]

  test('let an instance span nodes if requested', () => {
    const request = { instances: 1, threads: 8, straddleNuma: true }
    expect(placeOn({ cores: singleThreaded(8), nodes }, request, [{ name: 'a' }]).of('a')).toEqual([range(0, 8)])
    expect(() =>
      placeOn({ cores: singleThreaded(8), nodes }, { ...request, straddleNuma: false }, [{ name: 'a' }]),
    ).toThrow(/set straddleNuma: true/)
  })

  test('of one instance each share the cores by threads', () => {
    const { of } = place(singleThreaded(8), { instances: 1, threads: 'auto' }, [{ name: 'a' }, { name: 'b' }])
    expect([of('a'), of('b')]).toEqual([[range(0, 4)], [range(4, 8)]])
  })

  test('that suffice for the cores but not for their nodes share as few cores as they can', () => {
    const { of, instances, codes } = placeOn({ cores: singleThreaded(8), nodes }, { instances: 2, threads: 2 }, [
      { name: 'a' },
      { name: 'b' },
    ])
    expect(of('a')).toEqual([
      [0, 1],
      [2, 3],
    ])
    expect(of('b')).toEqual([
      [0, 4],
      [5, 6],
    ])
    expect(instances.map(({ shared }) => shared)).toEqual([true, false, true, false])
    expect(codes).toContain('CORES_SHARED')
  })
})

describe('models that share cores', () => {
  const quota = { 'sys/fs/cgroup/cpu.max': '800000 100000' }
  const threeOf = (models: ModelDemand[], request: PlanRequest) =>
    place(singleThreaded(24), request, models, quota).plan
  const five = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }))
  const quarters = [range(0, 4), range(4, 8), range(8, 12), range(12, 16)]

  test.each<[string, PlanRequest, ModelDemand[]]>([
    ['counts for all', { instances: 1, threads: 4 }, five],
    ['counts of their own', auto, five.map(({ name }) => ({ name, instances: 1, threads: 4 }))],
  ])('leave none idle, and only surplus instances share: %s', (_, request, models) => {
    const sockets = [range(0, 8), range(8, 16)]
    const { instances, plan, codes } = placeOn({ cores: singleThreaded(16), nodes: sockets }, request, models)
    expect(instances.slice(0, 4).map(({ cpus }) => cpus)).toEqual(expect.arrayContaining(quarters))
    expect(quarters).toContainEqual(instances[4]!.cpus)
    expect(instances.filter(({ shared }) => shared).map(({ model }) => model)).toEqual(['a', 'e'])
    expect(plan.instances).toHaveLength(5)
    expect(codes).toEqual(['CORES_SHARED'])
  })

  test.each<[string, ModelDemand[], number[]]>([
    ['leave one of four cores for the front', five, [3]],
    ['use all four if one of them has counts', [{ name: 'a', instances: 1 }, ...five.slice(1)], []],
  ])('%s', (_, models, forFront) => {
    const { plan, instances } = place(singleThreaded(4), auto, models)
    expect(instances).toHaveLength(5)
    expect(plan).toMatchObject({ usableCores: range(0, 4), frontCpus: forFront })
  })

  test('use no more cores than the quota allows', () => {
    const { instances } = threeOf(
      ['a', 'b', 'c'].map((name) => ({ name, instances: 2, threads: 4 })),
      auto,
    )
    expect(new Set(instances.flatMap(({ cpus }) => cpus)).size).toBe(8)
  })

  test.each<[string, number, ModelDemand[], number[]]>([
    ['numbers of instances', 8, five.map(({ name }) => ({ name, instances: 2 })), Array(10).fill(1)],
    [
      'one that takes all cores',
      32,
      [
        { name: 'a', instances: 4, threads: 8 },
        { name: 'b', instances: 1 },
      ],
      [8, 8, 8, 8, 1],
    ],
    ['one that leaves nothing', 2, [{ name: 'a', instances: 2, threads: 1 }, { name: 'b' }], [1, 1, 1]],
  ])('get one instance with one thread where that is auto: %s', (_, cores, models, threads) => {
    const { instances } = place(singleThreaded(cores), auto, models)
    expect(instances.map((instance) => instance.threads)).toEqual(threads)
  })

  test('report cores that none of them fits on as idle', () => {
    const uneven = [range(0, 3), range(3, 6), range(6, 8)]
    const models = ['a', 'b', 'c'].map((name) => ({ name, instances: 1, threads: 3 }))
    const { warnings } = placeOn({ cores: singleThreaded(8), nodes: uneven }, auto, models).plan
    expect(warnings).toContainEqual({
      code: 'IDLE_CORES',
      message: '2 of 8 cores (25 %) stay idle: all instances together use 6',
    })
  })

  test('keep instances of the same model apart', () => {
    const { of } = place(singleThreaded(8), auto, [
      { name: 'wide', instances: 1, threads: 7 },
      { name: 'a' },
      { name: 'b', instances: 3, threads: 2 },
    ])
    for (const model of ['a', 'b']) expect(new Set(of(model).flat()).size).toBe(of(model).flat().length)
  })

  test('keep them apart even where their own core is the least crowded, and wide ones are placed first', () => {
    const nodes = [range(0, 3), [3]]
    const { of } = placeOn({ cores: singleThreaded(4), nodes }, auto, [
      { name: 'narrow', instances: 2, threads: 1 },
      { name: 'wide', instances: 1, threads: 3 },
      { name: 'too', instances: 1, threads: 3 },
    ])
    expect([of('wide'), of('too'), of('narrow')]).toEqual([[[0, 1, 2]], [[0, 1, 2]], [[0], [3]]])
  })

  test('let those of one model meet if the cores that others leave idle have divided a node', () => {
    const nodes = [range(0, 4), range(4, 9)]
    const { of } = placeOn({ cores: singleThreaded(9), nodes }, auto, [
      { name: 'wide', instances: 1, threads: 5 },
      {
        name: 'groups',
        groups: [
          { instances: 3, threads: 2 },
          { instances: 1, threads: 3 },
        ],
      },
    ])
    expect([of('wide'), of('groups', 1)]).toEqual([[range(4, 9)], [range(0, 3)]])
    expect(of('groups', 0)).toHaveLength(3)
  })

  test('go where the fewest threads are, of such cores to the fastest, and of these where most are idle', () => {
    const sharing = (machine: Partial<FakeMachine>, threads: number[]) => {
      const models = threads.map((count, i) => ({ name: `m${i}`, instances: 1, threads: count }))
      return placeOn({ cores: singleThreaded(6), ...machine }, auto, models).instances.map(({ cpus }) => cpus)
    }
    // the second takes the idle core and the first busy one, which the third leaves alone
    const few = [
      [0, 1, 2],
      [0, 3],
      [1, 2],
    ]
    expect(sharing({ cores: singleThreaded(4) }, [3, 2, 2])).toEqual(few)
    const speeds = [512, 512, 512, 512, 1024, 1024].map(
      (speed, cpu) => [`sys/devices/system/cpu/cpu${cpu}/cpu_capacity`, String(speed)] as const,
    )
    const fastFirst = [
      [4, 5],
      [0, 1],
      [2, 3],
      [4, 5],
    ]
    expect(sharing({ files: Object.fromEntries(speeds) }, [2, 2, 2, 2])).toEqual(fastFirst)
    const largerFirst = [
      [2, 3],
      [0, 1],
      [4, 5],
      [0, 1],
    ]
    expect(sharing({ nodes: [range(0, 2), range(2, 6)] }, [2, 2, 2, 2])).toEqual(largerFirst)
  })

  test.each<[string, PlanRequest, ModelDemand[]]>([
    ['counts for all', { instances: 2, threads: 4 }, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]],
    ['counts of their own', auto, ['a', 'b', 'c'].map((name) => ({ name, instances: 2, threads: 4 }))],
  ])('are reported with the threads of all of them: %s', (_, request, models) => {
    const { warnings } = threeOf(models, request)
    expect(warnings).toContainEqual({
      code: 'QUOTA_THROTTLING',
      message: expect.stringMatching(/quota is 8: 24 instance thread\(s\) on \d+ CPUs and the front/),
    })
    expect(warnings).toContainEqual({
      code: 'CORES_SHARED',
      message: expect.stringMatching(/3 models with 24 thread\(s\) share \d+ core\(s\)/),
    })
    expect(new Set(warnings.map(({ code }) => code)).size).toBe(warnings.length)
  })

  test('on separate parts of one machine are counted together', () => {
    const models = [{ name: 'big', instances: 1, threads: 4 }, { name: 'a' }, { name: 'b' }]
    const { warnings } = place(singleThreaded(24), { instances: 2, threads: 1 }, models, quota).plan
    expect(warnings).toEqual([
      { code: 'QUOTA_THROTTLING', message: expect.stringContaining('8 instance thread(s) on 8 CPUs and the front') },
    ])
  })
})
