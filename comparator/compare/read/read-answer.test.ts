import { describe, expect, test } from 'vitest'
import type { ClassificationMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { topScore } from '../answer.ts'
import { compareBodies, problemOf } from '../compare.fixture.ts'
import { spellProblem } from './mapping-problem.ts'

describe('values', () => {
  test('in different units are converted to one', () => {
    const mapping: OutputMapping = {
      kind: 'regression',
      value: '/t',
      units: '°C',
      candidate: { value: '/f', scale: 5 / 9, offset: -160 / 9 },
    }
    expect(compareBodies(mapping, { t: 100 }, { f: 212 })).toMatchObject({
      candidate: { value: expect.closeTo(100, 10) },
    })
    expect(compareBodies(mapping, { t: [0, 100] }, { f: [32, 212] })).toMatchObject({
      disagreement: expect.closeTo(0, 10),
    })
  })

  test('of a response with rows form one array, however each side lists them', () => {
    const mapping: OutputMapping = {
      kind: 'regression',
      value: '/rows/*/price',
      candidate: { value: '/cents', scale: 0.01 },
    }
    const primary = { rows: [{ price: 1 }, { price: [2, 3] }] }
    expect(compareBodies(mapping, primary, { cents: [100, 200, 400] })).toMatchObject({
      primary: { kind: 'value', value: [1, 2, 3] },
      disagreement: expect.closeTo(1 / 3, 10),
    })
    expect(compareBodies(mapping, primary, { cents: [100] })).toMatchObject({ kind: 'failed', reason: 'unmapped' })
    const unread = compareBodies(mapping, { rows: [{ price: 1 }, { cost: 2 }] }, {})
    expect(spellProblem(problemOf(unread)!)).toBe(
      "the primary's /rows/1/price: expected a number or numbers, found nothing: /rows/1 is an object of cost",
    )
  })

  test('that are too large after scaling are unmapped', () => {
    const mapping: OutputMapping = { kind: 'regression', value: '/v', candidate: { scale: 1e60 } }
    expect(compareBodies(mapping, { v: 1 }, { v: 1e30 })).toMatchObject({ reason: 'unmapped' })
  })
})

describe('labels', () => {
  const compare = (more: Partial<ClassificationMapping>, p: unknown, c: unknown) =>
    compareBodies({ kind: 'classification', scores: '/s', topK: 1, ...more }, { s: p }, { s: c })

  test('may be in a different order on each side', () => {
    const sides = { primary: { labels: ['a', 'b', 'c'] }, candidate: { labels: ['c', 'a', 'b'] } }
    expect(compare(sides, [0.1, 0.2, 0.7], [0.7, 0.1, 0.2])).toMatchObject({
      disagreement: 0,
      candidate: { label: 'c', scores: [0.1, 0.2, 0.7], labels: ['a', 'b', 'c'] },
    })
  })

  test('that are a list are taken for those of several rows only where the pointer says so', () => {
    const unread = compareBodies({ kind: 'classification', label: '/tags', topK: 1 }, { tags: 'a' }, { tags: ['a'] })
    expect(spellProblem(problemOf(unread)!)).toBe(
      "the candidate's /tags: expected a label, or /tags/* for those of several rows, found an array of 1",
    )
  })

  test('that are missing are named by what is there instead', () => {
    const unread = compare({ labels: ['a', 'b'] }, { a: 1, b: 0 }, { label: 'a', probabilities: [1, 0] })
    expect(spellProblem(problemOf(unread)!)).toBe(
      "the candidate's /s: expected a score for each label, found an object of label, probabilities",
    )
  })

  test('that are 64-bit ids are distinguished by all digits', () => {
    const mapping: OutputMapping = { kind: 'classification', label: '/id', topK: 1 }
    const compareIds = (p: string, c: string) => compareBodies(mapping, `{"id":${p}}`, `{"id":${c}}`)
    expect(compareIds('9007199254740993', '9007199254740992')).toMatchObject({
      disagreement: 1,
      primary: { label: '9007199254740993' },
      candidate: { label: '9007199254740992' },
    })
    expect(compareIds('9007199254740993', '"9007199254740993"')).toMatchObject({ disagreement: 0 })
    expect(compareIds('3', '3')).toMatchObject({ disagreement: 0, primary: { label: '3' } })
    const list = (id: string) => `{"s":[{"label":${id},"score":0.5}]}`
    expect(
      compareBodies(
        { ...mapping, label: undefined, scores: '/s' } as never,
        list('9007199254740993'),
        list('9007199254740992'),
      ),
    ).toMatchObject({ disagreement: 1 + 1 / 3 })
  })

  test('of the candidate may be renamed, several of them to one', () => {
    const labelMap = { tabby: 'cat', siamese: 'cat', hound: 'dog' }
    const candidate = { labels: ['tabby', 'hound', 'siamese'] }
    // the hound has the highest single score, but the two cats together have more
    expect(compare({ labels: ['cat', 'dog'], labelMap, candidate }, [0.6, 0.4], [0.3, 0.4, 0.3])).toMatchObject({
      candidate: { label: 'cat', scores: [0.6, 0.4] },
      disagreement: expect.closeTo(0, 12),
    })
    expect(
      compare({ labels: ['cat', 'dog'], labelMap }, { cat: 1, dog: 0 }, { tabby: 0.5, siamese: 0.5, hound: 0 }),
    ).toMatchObject({ kind: 'compared', disagreement: 0 })
    const byLabel: OutputMapping = { kind: 'classification', label: '/l', labels: ['cat', 'dog'], topK: 1, labelMap }
    expect(compareBodies(byLabel, { l: 'cat' }, { l: 'siamese' })).toMatchObject({ disagreement: 0 })
    expect(problemOf(compareBodies(byLabel, { l: 'cat' }, { l: 'horse' }))).toMatchObject({ code: 'unknownLabel' })
  })

  test("have no score where TorchServe's list of the best few leaves them out", () => {
    const served = (p: unknown, c: unknown) => compare({ protocol: 'torchserve' }, p, c)
    expect(served({ a: 0.6, b: 0.3 }, { a: 0.5, c: 0.4 })).toMatchObject({
      primary: { labels: ['a', 'b', 'c'], scores: [0.6, 0.3, null] },
      candidate: { scores: [0.5, null, 0.4] },
    })
    for (const list of [
      [{ a: 0.6 }, { b: 0.3 }],
      [
        ['a', 0.6],
        ['b', 0.3],
      ],
      [
        { label: 'a', score: 0.6 },
        { label: 'b', score: 0.3 },
      ],
    ]) {
      expect(served({ a: 0.6, b: 0.3 }, list), JSON.stringify(list)).toMatchObject({ disagreement: 0 })
    }
    expect(served({ a: 1 }, [{ a: 1, b: 2 }])).toMatchObject({ reason: 'unmapped' })
    expect(served({ a: 1 }, [null])).toMatchObject({ reason: 'unmapped' })
  })

  test('may be listed with their scores in any order, and have no score where only the best few are listed', () => {
    const list = (scores: Record<string, number>) => Object.entries(scores).map(([label, score]) => ({ label, score }))
    expect(compare({}, list({ b: 0.6, a: 0.3 }), list({ c: 0.5, b: 0.4 }))).toMatchObject({
      primary: { label: 'b', labels: ['b', 'a', 'c'], scores: [0.6, 0.3, null] },
      candidate: { label: 'c', scores: [0.4, null, 0.5] },
    })
    // of equal scores the first one listed
    expect(compare({}, list({ b: 0.5, a: 0.5 }), list({ b: 0.4, a: 0.4 }))).toMatchObject({
      primary: { label: 'b' },
      candidate: { label: 'b' },
    })
    const item = { label: '/class', score: '/confidence' }
    const named = [
      { class: 'a', confidence: 0.3 },
      { class: 'b', confidence: 0.6 },
    ]
    expect(compare({ candidate: { item } }, list({ b: 0.6, a: 0.3 }), named)).toMatchObject({ disagreement: 0 })
    const rows = { scores: '/s/*' }
    expect(compare(rows, [list({ b: 0.6 }), list({ a: 1 })], [list({ b: 0.6 }), list({ a: 1 })])).toMatchObject({
      disagreement: 0,
    })
    expect(compare({ labels: ['b', 'a', 'c'] }, list({ a: 0.3, b: 0.6 }), [0.6, 0.3, 0])).toMatchObject({
      disagreement: 0,
    })
  })

  test('must all be listed with logits or logarithms as scores', () => {
    const list = (scores: Record<string, number>) => Object.entries(scores).map(([label, score]) => ({ label, score }))
    const labels = ['cat', 'dog', 'bird']
    const whole = list({ bird: -3, cat: -0.1, dog: -2.3 })
    expect(compare({ labels }, whole, [-0.1, -2.3, -3])).toMatchObject({ disagreement: 0, primary: { label: 'cat' } })
    const few = compare({ labels }, whole.slice(1), whole)
    expect(few).toMatchObject({ kind: 'skipped', reason: 'unmapped' })
    expect(spellProblem(problemOf(few)!)).toBe(
      "the primary's /s: expected scores of at least 0, or one for each of labels:, found a negative one",
    )
    expect(compare({}, list({ cat: 0, dog: 0 }), list({ dog: 0, cat: 0 }))).toMatchObject({ primary: { label: 'cat' } })
    // a side that answers with all of its labels knows no others
    expect(compare({ primary: { labels } }, [0.7, 0.2, 0.1], list({ cat: 0.7, fish: 0.2 }))).toMatchObject({
      problem: { code: 'unknownLabel' },
    })
    expect(compare({}, list({ cat: 0.7, dog: 0.2 }), { cat: 0.7, fish: 0.3 })).toMatchObject({
      problem: { code: 'unknownLabel' },
    })
    expect(compare({}, { cat: 0.7, dog: 0.3 }, list({ cat: 0.7 }))).toMatchObject({
      candidate: { scores: [0.7, null] },
    })
  })

  test('that one side lacks do not count as zero beside logits', () => {
    const logits = { labels: ['a', 'b', 'c'], candidate: { labels: ['b', 'c'] } }
    const list = (scores: Record<string, number>) => Object.entries(scores).map(([label, score]) => ({ label, score }))
    expect(compare(logits, [-3, -2, -1], list({ b: -2, c: -1 }))).toMatchObject({ reason: 'unmapped' })
    expect(compare(logits, [-3, -2, -1], list({ b: 0, c: 1 }))).toMatchObject({
      candidate: { scores: [null, 0, 1] },
    })
    // pairs that were kept before the two were distinguished
    expect(topScore([null, -2, -1])).toBe(-1)
  })

  test('that are given independently may be none, and are merged by the greatest score', () => {
    const list = (scores: Record<string, number>) => Object.entries(scores).map(([label, score]) => ({ label, score }))
    expect(compare({}, [], [])).toMatchObject({ reason: 'unmapped' })
    const tags = { scoreMin: 0.5, labels: ['cat', 'dog'] }
    expect(compare(tags, [], [])).toMatchObject({ disagreement: 0, primary: { label: '(no label)', scores: [] } })
    const known = { scoreMin: 0.5, primary: { labels: ['cat', 'dog'] } }
    expect(compare(known, [], [])).toMatchObject({ disagreement: 0 })
    expect(compare(known, [], list({ '(no label)': 0.9 }))).toMatchObject({
      problem: { leg: 'candidate', code: 'unknownLabel' },
    })
    expect(compare(tags, [], list({ cat: 0.25 }))).toMatchObject({ disagreement: 0.2, candidate: { label: 'cat' } })
    expect(compare(tags, list({ cat: 0.5 }), [])).toMatchObject({ disagreement: 1 + 1 / 3 })
    const labelMap = { tabby: 'cat', siamese: 'cat', hound: 'dog' }
    const mapped = compare({ ...tags, labelMap }, list({ dog: 0.6 }), list({ tabby: 0.4, hound: 0.6, siamese: 0.3 }))
    expect(mapped).toMatchObject({ candidate: { label: 'dog', scores: [0.6, 0.4] } })
    expect(compare({ ...tags, labelMap }, list({ dog: 0.6 }), list({ hound: 0.6, lion: 0.3 }))).toMatchObject({
      problem: { leg: 'candidate', code: 'unknownLabel' },
    })
  })

  test('may stand in a list beside the scores, in any order', () => {
    const mapping: OutputMapping = { kind: 'classification', scores: '/s', classes: '/l', topK: 1 }
    const [primary, other] = [
      { l: ['dog', 'cat'], s: [0.9, 0.1] },
      { l: ['cat', 'dog'], s: [0.8, 0.2] },
    ]
    expect(compareBodies(mapping, primary, other)).toMatchObject({
      primary: { label: 'dog' },
      candidate: { label: 'cat', scores: [0.2, 0.8], labels: ['dog', 'cat'] },
    })
    const rows: OutputMapping = { ...mapping, scores: '/*/s', classes: '/*/l' }
    expect(compareBodies(rows, [primary, other], [primary, other])).toMatchObject({
      disagreement: 0,
      primary: { rowLabels: { names: ['dog', 'cat'], rows: [0, 1] } },
    })
    const told = (body: object) => spellProblem(problemOf(compareBodies(mapping, body, body))!)
    expect(told({ l: ['a'], s: [0.9, 0.1] })).toBe(
      "the primary's /l: expected 2 labels, as many as scores, found an array of 1",
    )
    expect(told({ s: [0.9, 0.1] })).toBe(
      "the primary's /l: expected a list of labels, found nothing: the body is an object of s",
    )
    expect(told({ l: ['a', 'a'], s: [0.9, 0.1] })).toBe(
      "the primary's /l: expected each label once, found one for the second time at 1",
    )
    expect(told({ l: ['a', 'b'], s: [0.9, 'x'] })).toBe(
      "the primary's /s: expected scores, found a string of 1 character at 1",
    )
  })

  test('may be told as true or false, or as a list of those that are given', () => {
    const agree = (p: unknown, c: unknown) => compare({ scoreMin: 0.5 }, p, c)
    expect(agree({ cat: true, dog: false }, { cat: 0.7, dog: 0.2 })).toMatchObject({
      disagreement: expect.closeTo(0.2),
    })
    expect(agree([true, false], [true, false])).toMatchObject({ disagreement: 0, primary: { scores: [1, 0] } })
    expect(agree(['cat', 'indoor'], ['indoor', 'cat'])).toMatchObject({ disagreement: 0 })
    expect(agree(['cat', 'indoor'], ['cat'])).toMatchObject({
      kind: 'compared',
      candidate: { labels: ['cat', 'indoor'], scores: [1, null] },
    })
    expect(agree(['cat'], [])).toMatchObject({ candidate: { label: '(no label)' } })
    expect(agree(['cat', 7, null], [])).toMatchObject({ problem: { found: 'null at 2' } })
  })

  test('that are given independently disagree as sets, whichever is first', () => {
    const disagreement = (c: Record<string, number>) => {
      const found = compare({ scoreMin: 0.5 }, { a: 0.9, b: 0.89, c: 0 }, c)
      return found.kind === 'compared' ? found.disagreement : Number.NaN
    }
    expect(disagreement({ a: 0.89, b: 0.9, c: 0 })).toBeLessThan(0.01)
    expect(disagreement({ a: 0.9, b: 0.1, c: 0.8 })).toBeGreaterThan(0.5)
  })

  test('in such a list must be distinct, known and named in each item', () => {
    const told = (more: Partial<ClassificationMapping>, p: unknown) => spellProblem(problemOf(compare(more, p, p))!)
    const [three, two] = [
      { label: 'three', score: 0.7 },
      { label: 'Two', score: 0.2 },
    ]
    expect(told({ labels: ['Two', 'Three'] }, [three, two])).toBe(
      "the primary's /s: expected one of the declared labels, found one that differs from one of them in case or spaces alone",
    )
    expect(told({ labels: ['Two', 'Four'] }, [three, two])).toContain('found another one')
    expect(told({}, [two, two])).toBe(
      "the primary's /s: expected each label once, or label: /s/*/label for those of several rows, found one for the second time at 1",
    )
    expect(told({}, [{ class: 'a', confidence: 1 }])).toBe(
      "the primary's /s: expected items with /label and /score, or others by item:, or /s/* for those of several rows, found an object of class, confidence at 0",
    )
    expect(told({}, [[0.1, 0.9]])).toBe(
      "the primary's /s: expected scores, or /s/* for those of several rows, found an array of 2 at 0",
    )
  })

  test('as percentages become shares', () => {
    expect(compare({ candidate: { scale: 0.01 } }, [0.25, 0.75], [25, 75])).toMatchObject({ disagreement: 0 })
  })
})

describe('boxes are told in brief', () => {
  const mapping: OutputMapping = { kind: 'detection', boxes: '/b', classes: '/c', iouMin: 0.5 }
  const found = (...classes: string[]) => ({ b: classes.map((_, i) => [i, i, i + 1, i + 1]), c: classes })
  test.each([
    [found('a'), '1 box: a × 1'],
    [found('a', 'b', 'a'), '3 boxes: a × 2, b × 1'],
    [found('a', 'b', 'c', 'd', 'e'), '5 boxes: a × 1, b × 1, c × 1, d × 1, e × 1'],
    [found('a', 'b', 'c', 'd', 'e', 'f'), '6 boxes: a × 1, b × 1, c × 1, d × 1, e × 1, …'],
  ])('%j', (body, label) => {
    expect(compareBodies(mapping, body, body)).toMatchObject({ primary: { label }, candidate: { label } })
  })

  test('without labels they are only counted', () => {
    const { classes: _, ...bare } = mapping
    const body = found('a', 'b')
    expect(compareBodies(bare, body, body)).toMatchObject({ primary: { label: '2 boxes' } })
  })
})

describe('a mapping that finds no answer names the place', () => {
  const value: OutputMapping = { kind: 'regression', value: '/outputs/price' }
  const good = { outputs: { price: 1 } }

  test.each<[unknown, string]>([
    [
      { outputs: { cost: 4711, id: 'secret' } },
      "the candidate's /outputs/price: expected a number or numbers, found nothing: /outputs is an object of cost, id",
    ],
    [{}, "the candidate's /outputs/price: expected a number or numbers, found nothing: the body is an empty object"],
    [
      { outputs: { price: 'secret' } },
      "the candidate's /outputs/price: expected a number or numbers, found a string of 6 characters",
    ],
    [
      { outputs: { price: [1, 'secret'] } },
      "the candidate's /outputs/price: expected a number or numbers, found a string of 6 characters among them",
    ],
    ['secret', "the candidate's body: expected JSON, found 6 characters that are none"],
    [
      '{"outputs": {"price": NaN}}',
      "the candidate's body: expected JSON, found 27 characters that are none: JSON has no NaN and no Infinity",
    ],
    ['', "the candidate's body: expected JSON, found an empty body"],
    [{ outputs: { price: [1, 2] } }, "the candidate's body: expected 1 number, as the primary has, found 2"],
  ])('%j', (body, expected) => {
    expect(spellProblem(problemOf(compareBodies(value, good, body))!)).toBe(expected)
  })

  test('for either side, and never tells values of the body', () => {
    const found = compareBodies(value, { outputs: { price: 'secret' } }, good)
    expect(found).toMatchObject({ kind: 'skipped', problem: { leg: 'primary', code: 'type', path: '/outputs/price' } })
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  test('briefly, whatever the body', () => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}`.repeat(100), i]))
    const problem = problemOf(compareBodies(value, good, wide))!
    expect(spellProblem(problem).length).toBeLessThan(500)
    expect(spellProblem(problem)).toContain('995 more')
  })
})

test.each<[object, object, string]>([
  [{}, { bbox: [0, 0, 1, 1] }, 'expected a box as xyxy, or a pointer to it in box:, found an object of bbox'],
  [{}, { box: [0, 0, 1] }, 'expected a box as xyxy, or a pointer to it in box:, found an array of 3'],
  [
    {},
    { box: [9, 9, 2, 2] },
    'expected a box as xyxy, or its format: (xywh, cxcywh), found a second corner before the first',
  ],
  [
    { format: 'xywh' },
    { box: [9, 9, -2, 2] },
    'expected a box as xywh, or its format:, found a negative width or height',
  ],
  [{}, { box: [0, 0, 1, 1], score: 'high' }, 'expected a box with a score, found a string of 4 characters'],
  [{ label: '/class' }, { box: [0, 0, 1, 1] }, 'expected a box with a label, found nothing'],
])('what does not fit in a box is named: %j, %j', (side, box, expected) => {
  const mapping: OutputMapping = { kind: 'detection', boxes: '/d', iouMin: 0.5, candidate: side }
  const unread = compareBodies(mapping, { d: [] }, { d: [box] })
  expect(spellProblem(problemOf(unread)!)).toBe(`the candidate's /d/0: ${expected}`)
})

test.each<[OutputMapping, object, string]>([
  [
    { kind: 'json', document: '', ignore: [], tolerance: { absolute: 0, relative: 0 } },
    { a: 1 },
    'a document of 1 field',
  ],
  [
    { kind: 'detection', boxes: '/d', iouMin: 0.5 },
    { d: [1, 1, 2].map((label) => ({ box: [0, 0, 1, 1], label })) },
    '3 boxes: 1 × 2, 2 × 1',
  ],
])('an answer of %j is summed up', (mapping, body, brief) => {
  expect(compareBodies(mapping, body, body)).toMatchObject({ primary: { label: brief } })
})

describe('a mapping that does not fit says what to write', () => {
  const classes = { kind: 'classification', topK: 3 } as const
  const pairs = [
    ['cat', 0.9],
    ['dog', 0.1],
  ]
  test.each<[OutputMapping, unknown, string]>([
    [
      { ...classes, scores: '/p', labels: ['a', 'b'] },
      { p: [[0.1, 0.9]] },
      'scores, or /p/* for those of several rows',
    ],
    [{ ...classes, scores: '' }, [0.9], 'two scores or more, one with scoreMin:, or label: /0 for a label'],
    [
      { ...classes, scores: '/p' },
      { p: ['cat', 'dog'] },
      'scores, or label: /p/* for the labels of several rows, or scoreMin: for several labels of one',
    ],
    [{ ...classes, scores: '/p' }, { p: [true] }, 'scores, or scoreMin: for labels that are given or not'],
    [{ ...classes, scores: '' }, { a: true }, 'a score for each label, or scoreMin: for labels that are given or not'],
    [{ ...classes, scores: '/p' }, { p: 'cat' }, 'scores, or label: /p for a label'],
    [{ ...classes, scores: '' }, '"cat"', 'scores, or label: "" for a label'],
    [{ ...classes, scores: '' }, { label: 'cat', score: 1 }, 'a score for each label, or label: /label for a label'],
    [{ ...classes, scores: '/p' }, { p: pairs }, 'scores, or protocol: torchserve for pairs of a label and its score'],
    [{ ...classes, scores: '' }, [{ cat: 0.9 }], 'items with /label and /score, or protocol: torchserve'],
    [{ ...classes, label: '' }, [0.1, 0.9], 'a label, or scores: "", or /* for those of several rows'],
    [{ ...classes, label: '/p' }, { p: { cat: 0.9 } }, 'a label, or scores: /p'],
    [
      { kind: 'regression', value: '/p' },
      { p: [{ 'a/b': 1 }] },
      'a number or numbers, or /p/*/a~1b for one of each row',
    ],
    [{ kind: 'text', text: '/p' }, { p: ['a', 'b'] }, 'a text, or /p/* for those of several rows'],
    [
      { kind: 'text', text: '' },
      'not JSON',
      'JSON, or protocol: plain for a body that is the text, or protocol: stream for one in pieces',
    ],
  ])('%j of %j', (mapping, body, expected) => {
    expect(problemOf(compareBodies(mapping, body, body))).toMatchObject({ leg: 'primary', expected })
  })

  test('or shows the first item where a pointer ends at a list', () => {
    const found = compareBodies({ kind: 'text', text: '/generated_text' }, [{ generated_text: 'a' }], [])
    expect(problemOf(found)).toMatchObject({
      found: 'nothing: the body is an array of 1, whose first item is an object of generated_text',
    })
  })
})
