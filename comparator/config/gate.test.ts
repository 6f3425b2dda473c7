import { describe, expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { type ComparatorConfig, comparatorSchema, policyOf } from '../config.ts'
import { digestPolicy } from '../gate/policy-digest.ts'

const validation = (more: object) => ({
  name: 'v',
  output: { kind: 'classification', label: '/class' },
  gate: [{ metric: 'agreement', min: 0.9 }],
  ...more,
})
const other = validation({ name: 'itself' })

const decode = (...validations: object[]) => decodeSection({ validations }, 'comparator', comparatorSchema, {})
const policyWith = (...validations: object[]) => {
  const { value } = decode(...validations)
  return policyOf((value as ComparatorConfig).validations[0]!)
}
const problemsWith = (more: object) =>
  decode(validation(more), other).problems.map(
    ({ path, expected }) => `${path.replace(/^.*validations\[0\]./, '')}: ${expected}`,
  )
const problemsOf = (check: object) => problemsWith({ gate: [check], noiseFloor: 'itself' })

describe('a gate’s config', () => {
  test('refuses label checks where no scoreMin says which labels are given', () => {
    const tags = { kind: 'classification', scores: '/tags' }
    const gate = [{ metric: 'labelF1', min: 0.9 }]
    expect(problemsWith({ output: tags, gate })).toEqual([
      'gate[0].metric: a scoreMin: in output, from which a label is given',
    ])
    expect(problemsWith({ output: { ...tags, scoreMin: 0.5 }, gate })).toEqual([])
    const outputs = { tags }
    expect(problemsWith({ outputs, gate: [...gate, { metric: 'outputs.tags.labelsEqual', min: 0.9 }] })).toHaveLength(2)
  })

  test.each([Number.NaN, Infinity, '90 %'])('reports a limit of %s once', (min) => {
    expect(problemsOf({ metric: 'agreement', min })).toEqual([expect.stringMatching(/^gate\[0\].min: a number/)])
  })

  test('reports an unknown metric once', () => {
    expect(problemsOf({ metric: 'outputs.nope.mae', max: 1 })).toEqual([
      expect.stringMatching(/^gate\[0\].metric: a metric of a classification: /),
    ])
    expect(
      problemsWith({ output: { kind: 'regression', value: '/v' }, gate: [{ metric: 'labelF1', min: 1 }] }),
    ).toEqual([expect.stringMatching(/^gate\[0\].metric: a metric of a regression: /)])
    expect(
      problemsWith({ output: { kind: 'embedding', vector: '/v' }, gate: [{ metric: 'cosine.mean', min: 1 }] }),
    ).toEqual([expect.stringMatching(/^gate\[0\].metric: a metric of an embedding: cosine, /)])
  })

  test.each([
    { metric: 'agreement', min: 0.9 },
    { metric: 'agreement', min: 0.9, max: 1, reportOnly: true },
    { metric: 'agreement', min: 1 },
    { metric: 'errorRate.candidate', max: 0 },
    { metric: 'errorRate.delta', max: 1 },
    { metric: 'agreement', min: 0 },
    { metric: 'latency.candidate.p95', relativeTo: 'primary', maxRatio: 1.1 },
    { metric: 'errorRate.candidate', relativeTo: 'primary', maxDifference: 0.001 },
    { metric: 'agreement', relativeTo: 'noiseFloor', minDifference: -0.01 },
    { metric: 'outputDrift.psi', relativeTo: 'noiseFloor', maxRatio: 2 },
    { metric: 'outputDrift.psi', max: 5 },
  ])('accepts %j', (check) => {
    expect(problemsOf(check)).toEqual([])
  })

  test.each([
    [{ metric: 'agreement' }, 'gate[0]: a limit: min:, max: or both'],
    [
      { metric: 'agreement', maxRatio: 2 },
      'gate[0]: relativeTo: primary or noiseFloor, beside a ratio or a difference',
    ],
    [
      { metric: 'agreement', relativeTo: 'noiseFloor', min: 1 },
      'gate[0]: min: and max: only without relativeTo:, with it minRatio:, maxRatio: and the like',
    ],
    [
      { metric: 'agreement', relativeTo: 'noiseFloor' },
      'gate[0]: a limit: minRatio:, maxRatio:, minDifference: or maxDifference:',
    ],
    [
      { metric: 'agreement', relativeTo: 'noiseFloor', maxRatio: 1, minDifference: 0 },
      'gate[0]: limits on the ratio or on the difference, in a check each',
    ],
    [
      { metric: 'agreement', relativeTo: 'noiseFloor', minRatio: 2, maxRatio: 1 },
      'gate[0].minRatio: at most maxRatio, which is 1',
    ],
    [
      { metric: 'agreement', relativeTo: 'primary', minRatio: 1 },
      'gate[0].metric: a metric of the candidate that the primary has too, such as latency.candidate.p95',
    ],
    [
      { metric: 'accuracy.drift', relativeTo: 'noiseFloor', maxRatio: 1 },
      'gate[0].metric: a metric that is never below zero, or minDifference: and maxDifference:',
    ],
    [{ metric: 'labelCoverage', max: 0.5 }, 'gate[0].max: min: alone, of labelCoverage'],
    [{ metric: 'samples', min: 10, max: 1000 }, 'gate[0].max: min: alone, of samples'],
    [{ metric: 'coverage', max: 0.9, reportOnly: true }, 'gate[0].max: min: alone, of coverage'],
    [{ metric: 'labelCoverage', min: 20 }, 'gate[0].min: a number from 0 to 1: 1 % is 0.01'],
    [{ metric: 'labelCoverage', relativeTo: 'noiseFloor', minRatio: 1 }, 'gate[0].metric: a metric of the model'],
    [{ metric: 'samples', relativeTo: 'noiseFloor', minRatio: 1 }, 'gate[0].metric: a metric of the model'],
    [
      { metric: 'latency.candidate.p99', max: '250ms' },
      'gate[0].max: a number without a unit: ms of a latency, 0 to 1 of a share',
    ],
    [{ metric: 'agreement', min: 99 }, 'gate[0].min: a number from 0 to 1: 1 % is 0.01'],
    [{ metric: 'errorRate.delta', max: 5, reportOnly: true }, 'gate[0].max: a number from -1 to 1: 1 % is 0.01'],
    [
      { metric: 'errorRate.candidate', relativeTo: 'primary', maxDifference: 5 },
      'gate[0].maxDifference: a number from -1 to 1: 1 % is 0.01',
    ],
    [{ metric: 'kappa', min: 80 }, 'gate[0].min: a number from -1 to 1'],
    [{ metric: 'outputDrift.ks', max: 5 }, 'gate[0].max: a number from 0 to 1'],
    [{ metric: 'kappa', relativeTo: 'noiseFloor', minDifference: -5 }, 'gate[0].minDifference: a number from -2 to 2'],
  ])('refuses %j and says what it expected', (check, problem) => {
    expect(problemsOf(check)).toEqual([problem])
  })

  test('refuses percentages on low quantiles of similarities, but no number on those of latencies', () => {
    const output = { kind: 'text', text: '/t' }
    const gate = [
      { metric: 'editSimilarity.p05', min: 90 },
      { metric: 'outputs.more.f1.p10', min: 90 },
      { metric: 'latency.delta.p95', max: 250, min: -250 },
    ]
    const outputs = { more: { kind: 'detection', boxes: '/b', iouMin: 0.5 } }
    expect(problemsWith({ output, outputs, gate })).toEqual([
      'gate[0].min: a number from 0 to 1: 1 % is 0.01',
      'gate[1].min: a number from 0 to 1: 1 % is 0.01',
    ])
  })

  test('accepts only another validation of the same kind as noise floor', () => {
    expect(problemsWith({ noiseFloor: 'itself' })).toEqual([])
    const expected = 'noiseFloor: the name of another validation, of the same kind of output (classification)'
    expect(problemsWith({ noiseFloor: 'v' })).toEqual([expected])
    expect(problemsWith({ noiseFloor: 'nobody' })).toEqual([expected])
    const gate = [{ metric: 'agreement', relativeTo: 'noiseFloor', minRatio: 1 }]
    expect(problemsWith({ gate })).toEqual([
      'gate[0].relativeTo: noiseFloor: in the validation, the one that measures the primary itself',
    ])
  })

  test('compares a further output with a noise floor only if that has it too', () => {
    const price = { kind: 'regression', value: '/price' }
    const gate = [{ metric: 'outputs.price.mae', relativeTo: 'noiseFloor', maxRatio: 2 }]
    const problemsBeside = (outputs: object) =>
      decode(validation({ outputs: { price }, gate, noiseFloor: 'itself' }), { ...other, outputs }).problems
    expect(problemsBeside({ price })).toEqual([])
    for (const outputs of [{}, { price: { kind: 'text', text: '/price' } }]) {
      expect(problemsBeside(outputs)).toMatchObject([
        { value: 'outputs.price.mae', expected: 'a metric that the noise floor, itself, has too' },
      ])
    }
  })

  test('accepts accuracy but no class slice where the output has rows', () => {
    const output = { kind: 'classification', scores: '/rows/*/p' }
    const gate = [
      { metric: 'agreement', min: 0.9 },
      { metric: 'accuracy.drift', min: 0 },
      { metric: 'agreement', slice: 'class=a', min: 0.9 },
    ]
    expect(problemsWith({ output, gate })).toEqual(['gate[2].slice: a slice by one of route, bodySize, hour'])
    expect(problemsWith({ output, gate: [{ metric: 'labelCoverage', min: 0.1 }] })).toEqual([])
    const first = { output: { ...output, scores: '/rows/0/p' }, gate }
    expect(problemsWith(first)).toEqual([])
  })

  test('asks for quotes around labels that are numbers', () => {
    expect(problemsWith({ output: { kind: 'classification', scores: '/p', labels: [0, 1] } })).toEqual([
      'output.labels[0]: a text of at most 200 characters; a number in quotes',
      'output.labels[1]: a text of at most 200 characters; a number in quotes',
    ])
  })

  test('accepts metrics against ground truth only for the main output, the one that labels are for', () => {
    const outputs = { price: { kind: 'regression', value: '/price' } }
    const gate = ['mae', 'mae.drift', 'labelCoverage'].map((name) => ({ metric: `outputs.price.${name}`, min: 0 }))
    const problems = problemsWith({ outputs, gate })
    expect(problems).toHaveLength(2)
    expect(problems[0]).toContain('gate[1].metric: a metric of a classification: agreement')
  })

  test('accepts everyHourOfWeek only for windows of a week or more', () => {
    expect(problemsWith({ window: { duration: '7d', everyHourOfWeek: true } })).toEqual([])
    expect(problemsWith({ window: { duration: '6d', everyHourOfWeek: true } })).toEqual([
      'window.duration: at least 7d, for everyHourOfWeek',
    ])
    expect(problemsWith({ window: { coverageMinBySize: { huge: 0.5 } } })).toHaveLength(1)
  })

  test('refuses an ageMax that a last step without shadow requests would outlast', () => {
    const rollout = { stepDuration: '1h', reverseShadow: false }
    expect(problemsWith({ window: { ageMax: '61m' }, rollout })).toEqual([])
    expect(problemsWith({ window: { ageMax: '1h' }, rollout: { stepDuration: '1h' } })).toEqual([])
    for (const ageMax of ['1h', '60m', '59m']) {
      expect(problemsWith({ window: { ageMax }, rollout })).toEqual([
        'window.ageMax: longer than rollout.stepDuration (1h), where rollout.reverseShadow is false',
      ])
    }
    expect(problemsWith({ window: { ageMax: 'soon' }, rollout })).toHaveLength(1)
  })

  test('accepts window.recent up to half of the window, or zero', () => {
    for (const window of [
      {},
      { duration: '1h' },
      { recent: '0s' },
      { duration: '2d', recent: '24h' },
      { recent: '84h' },
    ])
      expect(problemsWith({ window })).toEqual([])
    expect(problemsWith({ window: { duration: '1h', recent: '31m' } })).toEqual([
      'window.recent: at most half of window.duration (1h), or 0s for none',
    ])
    expect(problemsWith({ window: { recent: 'lately' } })).toHaveLength(1)
  })

  test('keeps its digest where it uses no newer settings', () => {
    const policy = policyWith(validation({}))
    expect(Object.keys(policy).sort()).toEqual(['confidence', 'gate', 'output', 'window'])
    expect(Object.keys(policy.window).sort()).toEqual(['coverageMin', 'duration', 'samplesMin'])
    expect(policy.gate).toEqual([{ metric: 'agreement', min: 0.9, reportOnly: false }])
    expect(policyWith(validation({ window: { recent: '1d' } }))).toEqual(policy)
    for (const recent of ['0s', '12h']) {
      expect(digestPolicy(policyWith(validation({ window: { recent } })))).not.toBe(digestPolicy(policy))
    }
    const floor = policyWith(validation({ noiseFloor: 'itself' }), other)
    expect(digestPolicy(floor)).not.toBe(digestPolicy(policy))
  })

  test('keeps the window of a config from before an upgrade: its policy has the same digest', () => {
    const gate = [{ metric: 'errorRate.candidate', max: 0.02 }]
    const digestOf = (output: object) => digestPolicy(policyWith(validation({ output, gate }))).slice(0, 10)
    expect(digestOf({ kind: 'classification', scores: '/p', labels: ['a', 'b', 'c'] })).toBe('2110d8b12d')
    expect(digestOf({ kind: 'regression', value: '/v' })).toBe('fb4a480170')
    expect(digestOf({ kind: 'embedding', vector: '/v' })).toBe('c326205d6c')
    expect(digestOf({ kind: 'detection', boxes: '/b', scores: '/s', classes: '/c' })).toBe('b96ed63c06')
    expect(digestOf({ kind: 'text', text: '/t' })).toBe('56be035c38')
    expect(digestOf({ kind: 'json', document: '' })).toBe('10793f7b99')
  })
})
