import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comparatorSchema } from '../comparator/config.ts'
import { decodeSection } from '../runtime/config/load-config.ts'
import { observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'

const window = { duration: '60s', samplesMin: 10, coverageMin: 0.5 }
const validations = [
  {
    name: 'embeddings',
    output: { kind: 'embedding', vector: '/v' },
    gate: [
      { metric: 'cosine', min: 0.9 },
      { metric: 'cosine.p05', min: 0.5 },
    ],
  },
  { name: 'boxes', output: { kind: 'detection', boxes: '/b' }, gate: [{ metric: 'f1', min: 0.9 }] },
  {
    name: 'rows',
    output: { kind: 'classification', scores: '/*' },
    gate: [
      { metric: 'agreement', min: 0.9 },
      { metric: 'outputDrift.psi', max: 0.1 },
    ],
  },
  { name: 'answers', output: { kind: 'text', text: '/t' }, gate: [{ metric: 'editSimilarity', min: 0.9 }] },
  {
    name: 'documents',
    output: { kind: 'json', document: '', ignore: ['/id'] },
    gate: [{ metric: 'fieldsEqual', min: 0.9 }],
  },
].map((validation) => ({ ...validation, window }))

const noJson = { kind: 'answered', status: 200, totalMs: 9, body: '{', version: '1' }
const box = (x: number) => ({ label: 'cat', score: 0.9, box: [x, 0, x + 10, 10] })
/** By validation: the primary's body, and the candidate's bodies from best to worst. */
const bodies: Record<string, { primary: unknown; candidates: unknown[] }> = {
  embeddings: { primary: { v: [1, 0] }, candidates: [{ v: [2, 0] }, { v: [3, 4] }, { v: [-1, 0] }, { v: [0, 0] }] },
  boxes: { primary: { b: [box(0)] }, candidates: [{ b: [box(0)] }, { b: [box(1)] }, { b: [] }, { c: [] }] },
  rows: {
    primary: [
      [0.75, 0.25],
      [0.25, 0.75],
    ],
    candidates: [
      [
        [0.75, 0.25],
        [0.25, 0.75],
      ],
      [
        [0.75, 0.25],
        [0.75, 0.25],
      ],
      [
        [0.25, 0.75],
        [0.75, 0.25],
      ],
      [[0.75, 0.25]],
    ],
  },
  answers: { primary: { t: 'abcd' }, candidates: [{ t: 'abcd' }, { t: 'abce' }, { t: 'zzzz' }, noJson] },
  documents: {
    primary: { id: 1, a: 1, b: 1 },
    candidates: [{ id: 2, a: 1, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }, noJson],
  },
}

describe('each kind of output comes through the comparator', () => {
  let comparator: TestComparator
  beforeAll(async () => {
    comparator = await startTestComparator(validations)
    for (const [validation, { primary, candidates }] of Object.entries(bodies)) {
      const receipt = await comparator.post(
        candidates.map((candidate) => observation({ at: Date.now(), validation, primary, candidate })),
      )
      expect(receipt).toEqual({ accepted: 4, duplicates: 0, rejected: [] })
    }
  })
  afterAll(() => comparator.close())

  const get = async (path: string) => (await comparator.call('GET', path, { token: tokens.viewer })).body

  test('an answer that the mapping cannot read is reported with what was there instead', async () => {
    const page = await get('/v1/validations/boxes/observations?order=worst&limit=1')
    expect(page.observations[0]).toMatchObject({
      comparison: 'failed',
      candidate: { answer: null, problem: expect.stringMatching(/^the candidate's \/b: expected .*, found nothing/) },
    })
    expect(page.observations[0].primary).not.toHaveProperty('problem')
  })

  test('a label for a kind of output without labels is refused', async () => {
    const labels = [{ validation: 'boxes', correlationId: 'a', value: 1 }]
    const { body } = await comparator.call('POST', '/v1/labels', { token: tokens.ingest, body: { labels } })
    expect(body).toMatchObject({ accepted: 0, rejected: [{ code: 'INVALID_LABEL' }] })
    expect(body.rejected[0].message).toContain('labels are for classification and regression')
  })

  test.each([
    [
      'embeddings',
      { cosine: expect.closeTo(0.2, 9), cosineQuantiles: { p50: expect.closeTo(0.6, 2) }, failed: { zeroVector: 1 } },
    ],
    [
      'boxes',
      { f1: 0.5, recall: 0.5, meanIou: expect.closeTo((1 + 9 / 11) / 2, 9), unmapped: { candidate: { notFound: 1 } } },
    ],
    ['rows', { agreement: 0.375, failed: { unmapped: 1 }, unmapped: { candidate: { shape: 1 } } }],
    [
      'answers',
      { exactMatch: 0.25, editSimilarity: expect.closeTo(1.75 / 4, 9), unmapped: { candidate: { format: 1 } } },
    ],
    [
      'documents',
      { fieldsEqual: 1.5 / 4, worstPaths: { '/b': expect.closeTo(2 / 3, 9), '/a': expect.closeTo(1 / 3, 9) } },
    ],
  ])('%s into metrics', async (name, expected) => {
    const { totals } = await get(`/v1/validations/${name}/metrics`)
    expect(totals).toMatchObject({ samples: 4, errorRate: { candidate: 0.25 }, ...expected })
  })

  test('rows are not sliced by class, and differing ones are shown first', async () => {
    expect((await get('/v1/validations/rows')).dimensions).toEqual(['route', 'bodySize', 'hour'])
    const { observations } = await get('/v1/validations/rows/observations?order=worst')
    const { pairs } = await get(`/v1/observations/${observations[2].id}`)
    expect(pairs).toEqual([
      {
        output: '',
        pair: {
          kind: 'rows',
          rows: 2,
          differing: 1,
          shown: [
            { row: 1, primary: { label: '1', score: 0.75 }, candidate: { label: '0', score: 0.75 } },
            { row: 0, primary: { label: '0', score: 0.75 }, candidate: { label: '0', score: 0.75 } },
          ],
        },
      },
    ])
  })

  test.each(Object.keys(bodies))('%s into the order of the worst, with what was answered in brief', async (name) => {
    const { observations } = await get(`/v1/validations/${name}/observations?order=worst`)
    expect(observations[0]).toMatchObject({ comparison: 'failed', disagreement: null })
    // observations that agree are not among the worst
    const disagreements = observations.slice(1).map((observation: any) => observation.disagreement)
    expect(disagreements).toHaveLength(2)
    expect(disagreements[0]).toBeGreaterThan(disagreements[1])
    expect(disagreements[1]).toBeGreaterThan(0)
    expect(observations[1].primary.answer.label).toMatch(/^(a |1 box|2 rows)/)
  })

  test.each(validations.map(({ name, gate }) => [name, gate.map(({ metric }) => metric)]))(
    '%s into checks of the gate',
    async (name, metrics) => {
      const { checks } = await get(`/v1/validations/${name}/gate`)
      for (const metric of metrics) {
        expect(checks).toContainEqual(expect.objectContaining({ metric, n: expect.any(Number) }))
      }
    },
  )
})

test('a metric of another kind is a config problem that names the valid ones', () => {
  const raw = {
    validations: [{ name: 'v', output: { kind: 'embedding', vector: '/v' }, gate: [{ metric: 'agreement', min: 1 }] }],
  }
  const { problems } = decodeSection(raw, 'comparator', comparatorSchema, {})
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatchObject({ path: 'comparator.validations[0].gate[0].metric', value: 'agreement' })
  expect(problems[0]!.expected).toMatch(/embedding: cosine, cosineDistance, .*cosine\.p01\|p05/)
})
