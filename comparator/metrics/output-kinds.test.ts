import { describe, expect, test } from 'vitest'
import type { MetricTree } from '../../vocabulary/api/metrics.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { treePathOf } from '../../vocabulary/metric-path.ts'
import { mergeBins } from '../statistics/bin-counts.ts'
import { mergeSums } from '../statistics/sums.ts'
import { catalogueOfKinds } from './catalogue/catalogue.ts'
import { accumulate } from './contributions/accumulate.ts'
import { answered, contributionsOf, observe, policyOf, randomFrom, rangeOf } from './rollups.fixture.ts'
import { boundsOf } from './views/bounds.ts'
import { totalsOf } from './views/totals.ts'

const embedding: OutputMapping = { kind: 'embedding', vector: '/v' }
const detection: OutputMapping = { kind: 'detection', boxes: '/b', iouMin: 0.5 }
const text: OutputMapping = { kind: 'text', text: '/t' }
const json: OutputMapping = { kind: 'json', document: '', ignore: ['/id'], tolerance: { absolute: 0, relative: 0 } }

/** The totals of pairs of bodies; `null` stands for a candidate that timed out. */
function totals(output: OutputMapping, pairs: [primary: unknown, candidate: unknown][]): MetricTree {
  const policy = policyOf(output)
  const contributions = pairs.map(([primary, candidate]) =>
    contributionsOf(
      policy,
      observe(answered(primary), candidate === null ? { kind: 'timedOut', totalMs: 9 } : answered(candidate)),
    ),
  )
  return totalsOf(policy, rangeOf(policy, contributions))
}

const box = (x: number, label = 'a', score = 0.5) => ({ label, score, box: [x, 0, x + 10, 10] })

describe('the metrics of', () => {
  test('cosines near 1: low quantiles are as precise as those of their distances', () => {
    const cosines = Array.from({ length: 101 }, (_, i) => 0.99 + 0.0001 * i)
    const found = totals(
      embedding,
      cosines.map((cosine) => [{ v: [1, 0] }, { v: [cosine, Math.sqrt(1 - cosine ** 2)] }]),
    )
    const { p01, p10, p50 } = found.cosineQuantiles as Record<'p01' | 'p10' | 'p50', number>
    expect(Math.abs(p01 - 0.9901)).toBeLessThan(0.0001)
    expect(Math.abs(p10 - 0.991)).toBeLessThan(0.0001)
    expect(Math.abs(p50 - 0.995)).toBeLessThan(0.0001)
  })

  test('embeddings are the cosine with its low quantiles, and the cosine distance', () => {
    const found = totals(embedding, [
      [{ v: [1, 0] }, { v: [2, 0] }],
      [{ v: [1, 0] }, { v: [3, 4] }],
      [{ v: [1, 0] }, { v: [0, 1] }],
      [{ v: [1, 0] }, { v: [0, 0] }],
      [{ v: [1, 0] }, null],
    ])
    expect(found).toMatchObject({
      cosine: expect.closeTo((1 + 0.6 + 0) / 3, 12),
      cosineDistance: expect.closeTo((0 + 0.4 + 1) / 3, 12),
      cosineQuantiles: { p50: expect.closeTo(0.6, 2), p01: expect.closeTo(0.012, 2) },
      samples: 5,
      failed: { zeroVector: 1, timedOut: 1 },
      unmapped: { candidate: { zeroVector: 1 } },
    })
  })

  test('normalised vectors show no drift of lengths by rounding', () => {
    const angles = Array.from({ length: 400 }, (_, i) => i / 64)
    const vector = (angle: number, length: number) => ({ v: [length * Math.cos(angle), length * Math.sin(angle)] })
    const { outputDrift } = totals(
      embedding,
      angles.map((angle) => [vector(angle, 1 + 1e-7), vector(angle, 1 - 1e-7)]),
    )
    expect(outputDrift).toMatchObject({ psi: 0, js: 0, ks: 0, wasserstein: 0 })
  })

  test('normalised vectors show no drift from one day to the next that rounds differently', () => {
    const policy = policyOf(embedding)
    const kept = [1 + 1e-7, 1].flatMap((length) => {
      const sizes: [string, number][] = [
        ['output.primary', length],
        ['output.candidate', length],
      ]
      return Array.from({ length: 200 }, () => [{ sums: sizes, bins: sizes }])
    })
    const none = { psi: 0, js: 0, ks: 0, wasserstein: 0 }
    expect(totalsOf(policy, rangeOf(policy, kept)).outputDrift).toMatchObject({ primary: none, candidate: none })
  })

  test('detections compare the candidate with the primary by exchange', () => {
    const found = totals(detection, [
      // one of two found, and one false positive
      [{ b: [box(0), box(50)] }, { b: [box(0, 'a', 0.7), box(90)] }],
      [{ b: [] }, { b: [] }],
      [{ b: [box(0)] }, { b: [] }],
      [{ b: [box(0)] }, null],
    ])
    expect(found).toMatchObject({
      f1: expect.closeTo((0.5 + 1 + 0 + 0) / 4, 12),
      precision: expect.closeTo((0.5 + 1 + 1 + 0) / 4, 12),
      recall: expect.closeTo((0.5 + 1 + 0 + 0) / 4, 12),
      meanIou: 1,
      scoreMae: expect.closeTo(0.2, 12),
      countDelta: expect.closeTo(-1 / 3, 12),
      countError: expect.closeTo(1 / 3, 12),
    })
  })

  test('detections, texts and documents drift by their numbers of boxes, characters and fields', () => {
    const drifting: [OutputMapping, unknown, unknown][] = [
      [detection, { b: [box(0)] }, { b: [box(0), box(50), box(90)] }],
      [text, { t: 'a' }, { t: 'abc' }],
      [json, { a: 1 }, { a: 1, b: 1, c: 1 }],
    ]
    for (const [output, primary, candidate] of drifting) {
      expect(totals(output, [[primary, candidate]]).outputDrift).toMatchObject({
        ks: 1,
        wasserstein: expect.closeTo(2, 1),
      })
    }
  })

  test('classes of several rows are means over the rows of an exchange, then over exchanges', () => {
    const found = totals({ kind: 'classification', scores: '/*', topK: 1 }, [
      [
        [
          [0.75, 0.25],
          [0.25, 0.75],
        ],
        [
          [0.75, 0.25],
          [0.75, 0.25],
        ],
      ],
      [[[0.75, 0.25]], [[0.75, 0.25]]],
      [[[0.75, 0.25]], null],
      [[[0.75, 0.25]], [0.75, 0.25]],
    ])
    expect(found).toMatchObject({
      agreement: expect.closeTo((0.5 + 1 + 0 + 0) / 4, 12),
      topKOverlap: expect.closeTo((0.5 + 1 + 0 + 0) / 4, 12),
      scoreMae: expect.closeTo((0.25 + 0) / 2, 12),
      // three rows: twice both say 0; once the primary says 1 and the candidate 0
      kappa: 0,
      samples: 4,
      failed: { timedOut: 1, unmapped: 1 },
    })
  })

  test.each(['primary', 'candidate'] as const)(
    'classes of which only the %s gives scores agree by label alone',
    (leg) => {
      const found = totals({ kind: 'classification', label: '/l', topK: 1, [leg]: { scores: '/s' } }, [
        [
          { l: 'a', s: { a: 0.9, b: 0.1 } },
          { l: 'a', s: { a: 0.6, b: 0.4 } },
        ],
        [
          { l: 'a', s: { a: 0.9, b: 0.1 } },
          { l: 'b', s: { a: 0.4, b: 0.6 } },
        ],
        [{ l: 'a', s: { a: 0.9, b: 0.1 } }, null],
      ])
      expect(found).toMatchObject({
        agreement: 1 / 3,
        topKOverlap: null,
        scoreMae: null,
        jsDivergence: null,
        samples: 3,
      })
    },
  )

  test('several labels given at once are the agreement of the sets, by each side’s scoreMin', () => {
    const tags: OutputMapping = {
      kind: 'classification',
      scores: '/t',
      topK: 1,
      scoreMin: 0.5,
      candidate: { scoreMin: 0.4 },
    }
    const found = totals(tags, [
      [{ t: { a: 0.9, b: 0.6, c: 0.1 } }, { t: { a: 0.5, b: 0.4, c: 0.3 } }],
      [{ t: { a: 0.9, b: 0.6, c: 0.1 } }, { t: { a: 0.9, b: 0.1, c: 0.5 } }],
      [{ t: { a: 0.1, b: 0.1, c: 0.1 } }, { t: { a: 0.1, b: 0.2, c: 0.3 } }],
      [{ t: { a: 0.9, b: 0.6, c: 0.1 } }, null],
    ])
    expect(found).toMatchObject({
      labelF1: expect.closeTo((1 + 0.5 + 1 + 0) / 4, 12),
      labelsEqual: expect.closeTo((1 + 0 + 1 + 0) / 4, 12),
    })
    const list = (scores: Record<string, number>) => Object.entries(scores).map(([label, score]) => ({ label, score }))
    const listed = totals({ ...tags, topK: 5, labels: ['a', 'b', 'c'], scoreMin: 0, candidate: {} }, [
      [{ t: [] }, { t: [] }],
      // b is unlisted, and given by neither side
      [{ t: list({ a: 0.9 }) }, { t: list({ a: 0.5, c: 0 }) }],
      [{ t: [] }, { t: list({ a: 0.5 }) }],
    ])
    expect(listed).toMatchObject({
      labelF1: expect.closeTo((1 + 2 / 3 + 0) / 3, 12),
      labelsEqual: expect.closeTo(1 / 3, 12),
      topKOverlap: expect.closeTo((1 + 1 / 2 + 0) / 3, 12),
      scoreMae: expect.closeTo((0 + 0.2 + 0.5) / 3, 12),
      agreement: expect.closeTo(2 / 3, 12),
    })
    expect(totals({ ...tags, scoreMin: undefined, candidate: {} } as never, [[{ t: { a: 1 } }, null]])).toMatchObject({
      labelF1: null,
      labelsEqual: null,
    })
  })

  test('rows of one exchange are no more evidence than one', () => {
    const policy = policyOf({ kind: 'classification', scores: '/*', topK: 1 })
    const row = [0.75, 0.25]
    const lot = Array.from({ length: 12 }, () =>
      contributionsOf(policy, observe(answered(Array(100).fill(row)), answered(Array(100).fill(row)))),
    )
    const { kappa, 'outputDrift.ks': ks, 'outputDrift.psi': psi } = boundsOf(policy, rangeOf(policy, lot))
    expect([kappa!.n, ks!.n, psi!.n]).toEqual([12, 12, 12])
  })

  test('texts are the share that agree, and how similar the others are', () => {
    const found = totals(text, [
      [{ t: 'a b' }, { t: 'a b' }],
      [{ t: 'a b' }, { t: 'A  b' }],
      [{ t: 'abcd' }, { t: 'abce' }],
      [{ t: 'a' }, null],
    ])
    expect(found).toMatchObject({
      exactMatch: 0.25,
      normalisedMatch: 0.5,
      editSimilarity: expect.closeTo((1 + 0.5 + 0.75 + 0) / 4, 12),
      tokenF1: expect.closeTo((1 + 1 + 0 + 0) / 4, 12),
    })
  })

  test('documents are shares of equal documents and fields, counts of differences, and their places', () => {
    const found = totals(json, [
      [
        { id: 1, a: 1, l: [{ x: 1 }, { x: 2 }] },
        { id: 2, a: 1, l: [{ x: 1 }, { x: 2 }] },
      ],
      [
        { a: 1, l: [{ x: 1 }, { x: 2 }] },
        { a: '1', l: [{ x: 5 }, { x: 6 }], n: 0 },
      ],
      [{ a: 1, b: 1 }, { a: 1 }],
      [{ a: 1 }, null],
    ])
    expect(found).toMatchObject({
      documentsEqual: 0.25,
      fieldsEqual: expect.closeTo((1 + 0 + 0.5 + 0) / 4, 12),
      missingFields: expect.closeTo(1 / 3, 12),
      extraFields: expect.closeTo(1 / 3, 12),
      typeChanges: expect.closeTo(1 / 3, 12),
      valueChanges: expect.closeTo(2 / 3, 12),
    })
    expect(totals(json, [[{ id: 1 }, { id: 2 }]])).toMatchObject({ documentsEqual: 1, fieldsEqual: 1 })
    const third = expect.closeTo(1 / 3, 12)
    expect(found.worstPaths).toEqual({ '/a': third, '/b': third, '/l/*/x': third, '/n': third })
  })
})

/** A body of a kind, drawn at random. */
const bodies: Record<string, (random: () => number) => unknown> = {
  embedding: (random) => ({ v: [random() - 0.5, random() - 0.5, random()] }),
  detection: (random) => ({
    b: Array.from({ length: Math.floor(random() * 4) }, () =>
      box(Math.floor(random() * 3) * 4, random() < 0.5 ? 'a' : 'b'),
    ),
  }),
  text: (random) => ({ t: ['one', 'Two words', 'three of them', ''][Math.floor(random() * 4)] }),
  json: (random) => ({ a: Math.floor(random() * 3), [`k${Math.floor(random() * 3)}`]: [random() < 0.5] }),
}

describe.each([embedding, detection, text, json])('of $kind', (output) => {
  const policy = policyOf(output, [{ metric: `${quantileOf(output)}.p05`, min: 0.9 }])
  const random = randomFrom(17)
  const lot = Array.from({ length: 400 }, () => {
    const draw = bodies[output.kind]!
    const candidate = random() < 0.1 ? answered('no json') : answered(draw(random))
    return contributionsOf(policy, observe(answered(draw(random)), candidate))
  })

  test.each([1, 57, 200, 399])('two parts merged are the whole (cut at %i)', (cut) => {
    const whole = accumulate(lot.flat())
    const [first, second] = [accumulate(lot.slice(0, cut).flat()), accumulate(lot.slice(cut).flat())]
    mergeSums(second.sums, first.sums)
    expect(mergeBins([second.bins, first.bins])).toEqual(whole.bins)
    expect([...second.sums.keys()].sort()).toEqual([...whole.sums.keys()].sort())
    for (const [measure, { n, sum, min, max }] of whole.sums) {
      const merged = second.sums.get(measure)!
      expect([merged.n, merged.min, merged.max], measure).toEqual([n, min, max])
      expect(merged.sum).toBeCloseTo(sum, 9)
    }
  })

  test('equal answers have the best value of every metric', () => {
    const same = Array.from({ length: 100 }, () => {
      const body = answered(bodies[output.kind]!(random))
      return contributionsOf(policy, observe(body, body))
    })
    const found = totalsOf(policy, rangeOf(policy, same))
    const perfect = [
      'cosine',
      'f1',
      'precision',
      'recall',
      'exactMatch',
      'normalisedMatch',
      'editSimilarity',
      'tokenF1',
      'documentsEqual',
      'fieldsEqual',
      'meanIou',
    ]
    const none = [
      'cosineDistance',
      'countDelta',
      'countError',
      'scoreMae',
      'missingFields',
      'extraFields',
      'typeChanges',
      'valueChanges',
      'outputDrift.ks',
      'errorRate.delta',
    ]
    const names = [...catalogueOfKinds(output.kind, []).keys()]
    const own = names.filter((name) => perfect.includes(name))
    expect(own.length).toBeGreaterThan(0)
    for (const name of own) expect(at(found, name), name).toBeCloseTo(1, 12)
    for (const name of names.filter((name) => none.includes(name))) {
      expect(at(found, name), name).toBeCloseTo(0, 12)
    }
  })

  test('every metric has its place in the totals, and its bound is in order', () => {
    const range = rangeOf(policy, lot)
    const found = totalsOf(policy, range)
    for (const [name, { estimate, lower, upper }] of Object.entries(boundsOf(policy, range))) {
      expect(at(found, name), name).toBe(estimate)
      if (lower !== null) expect(lower, name).toBeLessThanOrEqual(estimate! + 1e-9)
      if (upper !== null) expect(upper, name).toBeGreaterThanOrEqual(estimate! - 1e-9)
    }
    expect(at(found, `${quantileOf(output)}.p05`)).not.toBeNull()
  })

  test("a gate's limit on a low quantile counts exactly what is below it", () => {
    const { sums } = accumulate(lot.flat())
    const values = lot.flat().flatMap(({ bins }) => bins.filter(([measure]) => measure === quantileOf(output)))
    const below = sums.get(`under:${quantileOf(output)}:0.9`)!
    expect(below).toMatchObject({ n: values.length, sum: values.filter(([, value]) => value < 0.9).length })
    expect(below.sum).toBeGreaterThan(0)
  })
})

function quantileOf({ kind }: OutputMapping): string {
  return { embedding: 'cosine', detection: 'f1', text: 'editSimilarity', json: 'fieldsEqual' }[kind as 'json']
}

function at(tree: MetricTree, name: string): unknown {
  return treePathOf(name).reduce<unknown>((node, part) => (node as MetricTree | undefined)?.[part], tree)
}
