import { describe, expect, test } from 'vitest'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import type { DetectionMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import { compareBodies, differencesIn, problemOf } from './compare.fixture.ts'
import { compareBoxes } from './compare-boxes.ts'
import { intersectionOverUnion, matchBoxes } from './match-boxes.ts'
import { type Box, boxesMax } from './read/read-boxes.ts'

const mapping: DetectionMapping = { kind: 'detection', boxes: '/boxes', iouMin: 0.5 }
const item = (label: string, box: number[], score = 0.9) => ({ label, box, score })
const compare = (p: unknown, c: unknown, more: Partial<DetectionMapping> = {}) =>
  compareBodies({ ...mapping, ...more }, { boxes: p }, { boxes: c })

/** Random boxes with two labels, crowded so that many overlap. */
const crowd = (random: () => number, count: number) =>
  Array.from({ length: count }, (): Box => {
    const [x, y] = [random() * 4, random() * 4]
    return { corners: [x, y, x + 1 + random(), y + 1 + random()], label: random() < 0.5 ? 'a' : 'b', score: null }
  })

describe('the overlap of two boxes', () => {
  test('is intersection over union', () => {
    // 2×4 of 4×4 + 4×4 − 2×4
    expect(intersectionOverUnion([0, 0, 4, 4], [2, 0, 6, 4])).toBeCloseTo(8 / 24, 15)
    expect(intersectionOverUnion([0, 0, 1, 1], [1, 0, 2, 1])).toBe(0)
    expect(intersectionOverUnion([3, 3, 3, 3], [3, 3, 3, 3])).toBe(1)
  })
})

describe('two lists of boxes', () => {
  test('are matched where boxes of one label overlap enough', () => {
    const found = differencesIn(
      compare(
        [item('cat', [0, 0, 10, 10], 0.9), item('dog', [20, 20, 30, 30], 0.8), item('cat', [50, 50, 60, 60], 0.7)],
        // 9/10 of the first; a cat in the dog's place; nothing for the third; and one far from all
        [item('cat', [0, 0, 10, 9], 0.6), item('cat', [20, 20, 30, 30], 0.8)],
      ),
    )
    expect(found).toMatchObject({ primaryBoxes: 3, candidateBoxes: 2, f1: 2 / 5, iou: 0.9 })
    expect(found).toMatchObject({ scoreError: expect.closeTo(0.3, 12), quality: expect.closeTo((2 * 0.9) / 5, 12) })
  })

  test('are matched once each, greatest overlap first', () => {
    const wide: Box[] = [{ corners: [0, 0, 10, 10], label: 'a', score: null }]
    const two: Box[] = [
      { corners: [0, 0, 10, 8], label: 'a', score: null },
      { corners: [0, 0, 10, 9], label: 'a', score: null },
    ]
    expect(compareBoxes(wide, two, 0.5)).toMatchObject({ recall: 1, iou: 0.9, scoreError: null })
  })

  test('agree fully if they are equal in any order, or both empty', () => {
    const boxes = [item('a', [0, 0, 1, 1]), item('a', [0, 0, 1, 1]), item('b', [5, 5, 5, 5], 0.2)]
    const agreed = { f1: 1, iou: 1, scoreError: 0, quality: 1 }
    expect(differencesIn(compare(boxes, boxes.toReversed()))).toMatchObject(agreed)
    expect(compare([], [])).toMatchObject({ disagreement: 0 })
    expect(compare([], boxes)).toMatchObject({ disagreement: 1 })
  })

  test('are matched the same from either side', () => {
    const random = randomFrom(7)
    for (let round = 0; round < 50; round++) {
      const [a, b] = [crowd(random, 12), crowd(random, 12)]
      const [forth, back] = [compareBoxes(a, b, 0.3), compareBoxes(b, a, 0.3)]
      expect(back.f1).toBe(forth.f1)
      expect(back.quality).toBeCloseTo(forth.quality, 12)
    }
  })

  test('are matched as by taking the greatest remaining overlap again and again', () => {
    const random = randomFrom(8)
    for (let round = 0; round < 50; round++) {
      const [a, b] = [crowd(random, 12), crowd(random, 15)]
      let left = a.flatMap((one, p) =>
        b.flatMap((other, c) =>
          one.label === other.label ? [{ p, c, iou: intersectionOverUnion(one.corners, other.corners) }] : [],
        ),
      )
      for (const match of matchBoxes(a, b, 0.3)) {
        expect(match.iou).toBe(Math.max(...left.map(({ iou }) => iou)))
        expect(left).toContainEqual(match)
        left = left.filter(({ p, c }) => p !== match.p && c !== match.c)
      }
      expect(left.filter(({ iou }) => iou >= 0.3)).toEqual([])
    }
  })

  test('are compared in bounded time, whatever the numbers of rows and boxes', () => {
    const random = randomFrom(9)
    const rowsOf = (rows: number, boxes: number) =>
      Array.from({ length: rows }, () =>
        Array.from({ length: boxes }, () => {
          const [x, y] = [random(), random()]
          return [x, y, x + 10, y + 10]
        }),
      )
    const found = [
      [1, boxesMax],
      [10, Math.floor(boxesMax / Math.sqrt(10))],
      [10, boxesMax],
    ].map(([rows, boxes]) => {
      const [primary, candidate] = [rowsOf(rows!, boxes!), rowsOf(rows!, boxes!)]
      let kind: string | undefined
      const took = cpuMsOf(() => ({ kind } = compareBodies({ ...mapping, boxes: '/*' }, primary, candidate)))
      // without the limit the last, where all overlap, would take more than five seconds
      expect(took).toBeLessThan(3000)
      return kind
    })
    expect(found).toEqual(['compared', 'compared', 'skipped'])
  })

  test('are read in the formats that detectors write', () => {
    const corners = [{ label: 'a', score: 0.5, box: [10, 20, 40, 60] }]
    const same: [Partial<DetectionMapping>, unknown][] = [
      [{ format: 'xywh' }, [{ label: 'a', score: 0.5, box: [10, 20, 30, 40] }]],
      [{ format: 'cxcywh' }, [{ label: 'a', score: 0.5, box: { cx: 25, cy: 40, w: 30, h: 40 } }]],
      [{ format: 'xywh' }, [{ label: 'a', score: 0.5, box: { x: 10, y: 20, w: 30, h: 40 } }]],
      [{ format: 'xywh' }, [{ label: 'a', score: 0.5, box: { left: 10, top: 20, width: 30, height: 40 } }]],
      [{}, [{ label: 'a', score: 0.5, box: { xmin: 10, ymin: 20, xmax: 40, ymax: 60 } }]],
      [{ protocol: 'torchserve' }, [{ a: [10, 20, 40, 60], score: 0.5 }]],
      [{ box: '/at', label: '/is' }, [{ is: 'a', score: 0.5, at: [10, 20, 40, 60] }]],
    ]
    for (const [candidate, boxes] of same) {
      const found = compare(corners, boxes, { candidate })
      expect(differencesIn(found), JSON.stringify(boxes)).toMatchObject({ iou: 1, f1: 1, scoreError: 0 })
    }
  })

  test('may have scores and labels in lists beside them, and relative coordinates', () => {
    const candidate = { boxes: '/b', scores: '/s', classes: '/l', coordinates: 'relative' } as const
    const found = compareBodies(
      { ...mapping, primary: { imageSize: [200, 100] }, candidate, labelMap: { 1: 'cat' } },
      { boxes: [item('cat', [20, 10, 100, 50], 0.75)] },
      { b: [[0.1, 0.1, 0.5, 0.5]], s: [0.5], l: [1] },
    )
    expect(differencesIn(found)).toMatchObject({ f1: 1, iou: expect.closeTo(1, 12), scoreError: 0.25 })
  })

  test('leave out boxes with low scores', () => {
    const boxes = [item('a', [0, 0, 1, 1], 0.5), item('a', [3, 3, 4, 4], 0.1)]
    expect(differencesIn(compare(boxes, boxes.slice(0, 1), { scoreMin: 0.5 }))).toMatchObject({
      primaryBoxes: 1,
      quality: 1,
    })
  })

  test('of several rows are matched within each row, and differ by the means over the rows', () => {
    const rows: DetectionMapping = {
      ...mapping,
      boxes: '/images/*/boxes',
      candidate: { boxes: '/b/*', scores: '/s/*' },
    }
    const primary = {
      images: [
        { boxes: [item('cat', [0, 0, 10, 10]), item('cat', [20, 0, 30, 10])] },
        { boxes: [item('cat', [0, 0, 10, 10])] },
        { boxes: [] },
      ],
    }
    const beside = [{ label: 'cat', box: [0, 0, 10, 9] }]
    const candidate = { b: [beside, [], []], s: [[0.7], [], []] }
    const found = compareBodies(rows, primary, candidate)
    expect(found).toMatchObject({
      primary: { label: '3 boxes: cat × 3, in 3 rows' },
      candidate: { label: '1 box: cat × 1, in 3 rows' },
      disagreement: 1 - (1.8 / 3 + 0 + 1) / 3,
    })
    expect(differencesIn(found)).toMatchObject({
      primaryBoxes: 1,
      candidateBoxes: 1 / 3,
      f1: (2 / 3 + 0 + 1) / 3,
      precision: 1,
      recall: (1 / 2 + 0 + 1) / 3,
      countError: 2 / 3,
      // nothing matches in the other rows
      iou: 0.9,
      scoreError: expect.closeTo(0.2, 12),
    })
    const said = (candidate: unknown) => problemOf(compareBodies(rows, primary, candidate))
    expect(said({ b: [beside], s: [[0.7]] })).toMatchObject({ path: '/b', expected: '3 rows, as the primary has' })
    expect(said({ b: [beside, [], []], s: [[0.7], []] })).toMatchObject({ code: 'shape', path: '/s' })
    expect(said({ b: [beside, [{}], []], s: [[0.7], [1], []] })).toMatchObject({ path: '/b/1/0' })
  })

  test('that are invalid are unmapped, naming the box that is wrong', () => {
    const good = [item('a', [0, 0, 1, 1])]
    for (const box of [[0, 0, 1], [1, 0, 0, 1], [0, 0, 1, 'x'], null, { x: 1 }, 7]) {
      const found = compare(good, [...good, { label: 'a', score: 1, box }])
      expect(found, JSON.stringify(box)).toMatchObject({ kind: 'failed', reason: 'unmapped' })
      expect(problemOf(found)).toMatchObject({ path: '/boxes/1' })
    }
    expect(
      problemOf(
        compare(
          good,
          Array.from({ length: 1001 }, () => good[0]),
        ),
      ),
    ).toMatchObject({ code: 'tooLarge' })
    for (const candidate of [
      { boxes: [[0, 0, 1, 1]], s: [] },
      { boxes: [], s: [0.9] },
    ]) {
      const beside = compareBodies({ ...mapping, candidate: { scores: '/s' } }, { boxes: [] }, candidate)
      expect(problemOf(beside)).toMatchObject({ code: 'shape', path: '/s' })
    }
  })
})
