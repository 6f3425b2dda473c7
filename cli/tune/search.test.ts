import { describe, expect, test } from 'vitest'
import { readTopology } from '../../candidate-server/cpu/topology.ts'
import { range, singleThreaded, writeSysroot } from '../../candidate-server/testing/fake-sysroot.ts'
import { type Configuration, describeSwitches, keyOf, sectionsOf, switchNames } from './configuration.ts'
import { configuration } from './rows.fixture.ts'
import { type Axis, climb, combinations, exhaust } from './search.ts'
import { allMainAxes, fileAxes, mainAxes, switchAxes } from './search-axes.ts'
import { type SearchSpace, searchSpace, startOf } from './search-space.ts'

describe('the search', () => {
  const grid = range(0, 10)
  const axis = (name: 'x' | 'y', kind: Axis<Point>['kind'] = 'ordered'): Axis<Point> => ({
    name,
    kind,
    variants: (at) => grid.map((value) => ({ ...at, [name]: value })),
  })
  type Point = { x: number; y: number }
  const searching = (score: (point: Point) => number) => {
    const asked: string[] = []
    const keyOf = ({ x, y }: Point) => `${x} ${y}`
    const measure = async (point: Point) => {
      asked.push(keyOf(point))
      return score(point)
    }
    return { asked, keyOf, measure, isBetter: (a: number, b: number) => a > b }
  }

  test('climbs to a peak where settings interact, without measuring everything or anything twice', async () => {
    // the best x depends on y, so one pass does not find it
    const search = searching(({ x, y }) => -((x - y / 2 - 2) ** 2) - (y - 6) ** 2)
    expect((await climb({ x: 0, y: 0 }, [axis('x'), axis('y')], search)).point).toEqual({ x: 5, y: 6 })
    const easy = searching(({ x, y }) => -Math.abs(x - 7) - Math.abs(y - 2))
    expect((await climb({ x: 5, y: 5 }, [axis('x'), axis('y')], easy)).point).toEqual({ x: 7, y: 2 })
    expect(new Set(easy.asked).size).toBe(easy.asked.length)
    expect(easy.asked.length).toBeLessThan(30)
  })

  test('goes one way along an ordered axis where that is better, and the other way where it is not', async () => {
    const rising = searching(({ x }) => x)
    await climb({ x: 5, y: 0 }, [axis('x')], rising)
    expect(rising.asked).toEqual(['5 0', '6 0', '7 0', '8 0', '9 0'])
    const falling = searching(({ x }) => -x)
    await climb({ x: 5, y: 0 }, [axis('x')], falling)
    expect(falling.asked).toEqual(['5 0', '6 0', '4 0', '3 0', '2 0', '1 0', '0 0'])
  })

  test('tries every variant of an unordered axis, even beyond a worse one', async () => {
    const search = searching(({ x }) => [5, 1, 1, 9, 1, 1, 1, 1, 1, 1][x]!)
    expect((await climb({ x: 0, y: 0 }, [axis('x', 'unordered')], search)).point.x).toBe(3)
    expect((await climb({ x: 0, y: 0 }, [axis('x')], search)).point.x).toBe(0)
  })

  test('that is exhaustive measures every combination once and finds the best', async () => {
    const search = searching(({ x, y }) => (x === 9 && y === 0 ? 1 : 0))
    expect((await exhaust({ x: 0, y: 5 }, [[axis('x'), axis('y')]], search)).point).toEqual({ x: 9, y: 0 })
    expect(search.asked).toHaveLength(100)
  })

  test('that is exhaustive in stages starts each from the best of the one before, and measures that once', async () => {
    const search = searching(({ x, y }) => x * (y + 1))
    expect((await exhaust({ x: 0, y: 5 }, [[axis('x')], [axis('y')]], search)).point).toEqual({ x: 9, y: 9 })
    expect(search.asked).toHaveLength(19)
  })
})

describe('the search space', () => {
  const options = { switches: [...switchNames] }
  const topology = () =>
    readTopology({ sysroot: writeSysroot({ cores: singleThreaded(24), nodes: [range(0, 12), range(12, 24)] }) })

  test('has every layout that the planner accepts, and none that spans two nodes unless the config lets it', () => {
    const space = searchSpace(topology(), options)
    expect(space.layouts).toContainEqual({ instances: 24, threads: 1 })
    expect(space.layouts).toContainEqual({ instances: 2, threads: 12 })
    expect(space.layouts.some(({ threads }) => threads > 12)).toBe(false)
    expect(searchSpace(topology(), { ...options, straddleNuma: true }).layouts).toContainEqual({
      instances: 1,
      threads: 24,
    })
    expect(space.layouts.some(({ instances, threads }) => instances * threads > 24)).toBe(false)
  })

  test('follows the layouts that use all cores, then leaves some free', () => {
    const space = searchSpace(topology(), options)
    const [full, fewer] = mainAxes(space) as [Axis<Configuration>, Axis<Configuration>]
    const layouts = full.variants(startOf(space)).map(({ instances, threads }) => `${instances}×${threads}`)
    expect(layouts).toEqual(['2×12', '4×6', '6×4', '8×3', '12×2', '24×1'])
    const counts = fewer.variants({ ...configuration, instances: 24, threads: 1 }).map(({ instances }) => instances)
    expect(counts).toEqual([12, 23, 24])
  })

  test('is what the user lists, and an error if none of it fits', () => {
    const space = searchSpace(topology(), {
      ...options,
      instances: [2, 30],
      threads: [1, 6],
      sizes: [3],
      delaysMs: [7],
    })
    expect(space.layouts).toEqual([
      { instances: 2, threads: 1 },
      { instances: 2, threads: 6 },
    ])
    expect(startOf(space)).toMatchObject({ instances: 2, threads: 6, sizeMax: 3, delayMs: 7 })
    expect(() => searchSpace(topology(), { ...options, threads: [25] })).toThrow('24 usable core(s)')
  })

  test('is in ascending order, which the search follows, however the list was written', () => {
    const space = searchSpace(topology(), {
      ...options,
      instances: [4, 1, 2],
      threads: [2, 1, 2],
      sizes: [8, 32, 1, 8],
      delaysMs: [5, 0],
    })
    const [, fewer, batch, delay] = mainAxes(space).map(({ variants }) => variants(startOf(space)))
    expect(startOf(space)).toMatchObject({ instances: 4, threads: 2, sizeMax: 8, delayMs: 0 })
    expect(fewer!.map(({ instances }) => instances)).toEqual([2, 4])
    expect(batch!.map(({ sizeMax }) => sizeMax)).toEqual([1, 8, 32])
    expect(delay!.map(({ delayMs }) => delayMs)).toEqual([0, 5])
  })

  test('has only the listed delays, also from a batch of one on', () => {
    const space = searchSpace(topology(), { ...options, sizes: [1, 4], delaysMs: [2, 5] })
    const [, , batch] = mainAxes(space).map(({ variants }) => variants({ ...configuration, sizeMax: 1, delayMs: 0 }))
    expect(batch!.map(({ sizeMax, delayMs }) => [sizeMax, delayMs])).toEqual([
      [1, 0],
      [4, 2],
    ])
    expect(mainAxes(space)[2]!.variants({ ...configuration, sizeMax: 4, delayMs: 5 })[1]!.delayMs).toBe(5)
  })

  test('varies the model’s file and, if exhaustive, each level of graph optimization', () => {
    const levelsOf = (exhaustive: boolean) => {
      const space = searchSpace(topology(), { switches: ['graphOptimization'], exhaustive })
      return switchAxes(space)[0]!
        .variants(configuration)
        .map(({ graphOptimization }) => graphOptimization)
    }
    expect(levelsOf(false)).toEqual(['all', 'extended'])
    expect(levelsOf(true)).toEqual(['all', 'layout', 'extended', 'basic', 'disabled'])

    expect(fileAxes(searchSpace(topology(), options))).toEqual([])
    const [axis] = fileAxes(searchSpace(topology(), { ...options, also: ['/m/int8.onnx'] }))
    const both = axis!.variants(configuration)
    expect(both).toEqual([configuration, { ...configuration, also: '/m/int8.onnx' }])
    expect(axis!.variants(both[1]!).map(keyOf)).toEqual(both.map(keyOf))
  })

  test('varies rewritings for this CPU, and only for the files they apply to', () => {
    const space = searchSpace(topology(), {
      switches: ['amx', 'spaceToDepth'],
      also: ['/m/int8.onnx'],
      rewritings: new Map([['/m/int8.onnx', ['spaceToDepth']]]),
    })
    const all = combinations(startOf(space), [...fileAxes(space), ...switchAxes(space)], keyOf)
    expect(all.map(({ also, amx, spaceToDepth }) => [also, amx, spaceToDepth])).toEqual([
      [undefined, true, true],
      ['/m/int8.onnx', true, true],
      ['/m/int8.onnx', true, false],
    ])
    expect(describeSwitches(all[2]!)).toContain('no blocks')
    expect(sectionsOf(all[2]!).session).toMatchObject({ amx: true, spaceToDepth: false })
  })

  test('has no delay without batches, no spinning with a single thread, and only the one size that a model takes', () => {
    const space: SearchSpace = {
      ...searchSpace(topology(), options),
      layouts: [{ instances: 1, threads: 1 }],
      sizes: [1, 2],
      delaysMs: [0, 5],
    }
    const all = combinations(startOf(space), allMainAxes(space), keyOf)
    expect(all.map(({ sizeMax, delayMs }) => `${sizeMax} ${delayMs}`)).toEqual(['1 0', '2 0', '2 5'])
    const spinning = switchAxes({ ...space, switches: ['spinning'] })[0]!
    expect(spinning.variants({ ...configuration, threads: 1 })).toHaveLength(1)
    expect(spinning.variants({ ...configuration, threads: 2 }).map(({ spinning }) => spinning)).toEqual([
      'auto',
      true,
      false,
    ])
    expect(searchSpace(topology(), { ...options, fixedSize: 4 }).sizes).toEqual([4])
  })
})
