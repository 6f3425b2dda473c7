import { expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { classification, regression } from '../../test/support/comparator.ts'
import { comparatorSchema, policyOf, type ValidationConfig } from '../config.ts'
import { digestPolicy } from '../gate/policy-digest.ts'

function read(validation: object) {
  const { value, problems } = decodeSection({ validations: [validation] }, 'comparator', comparatorSchema, {})
  return {
    validation: (value as { validations: ValidationConfig[] } | undefined)?.validations[0] as ValidationConfig,
    problems,
  }
}
const problemOf = (validation: object) => read(validation).problems.map(({ path, expected }) => [path, expected])
const slices = [{ name: 'tenant', header: 'x-tenant' }]
const outputs = { label: { kind: 'classification', scores: '/scores' } }

test('slices and outputs are part of the policy: changing them changes its digest', () => {
  const digests = [{}, { slices }, { outputs }, { slices: [{ name: 'tenant', header: 'x-org' }] }].map((more) => {
    const { validation, problems } = read({ ...regression, ...more })
    expect(problems).toEqual([])
    return digestPolicy(policyOf(validation))
  })
  expect(new Set(digests).size).toBe(4)
  expect(digestPolicy(policyOf(read({ ...regression, slices: [], outputs: {} }).validation))).toBe(digests[0])
  expect(policyOf(read({ ...regression, outputs }).validation).outputs!.label).toMatchObject({ topK: 3 })
})

test.each([
  ['a built-in name', { slices: [{ name: 'hour', header: 'x-hour' }] }, 'slices[0].name', 'other than those built in'],
  ['a name twice', { slices: [...slices, ...slices] }, 'slices[1].name', 'no other slice'],
  [
    'credentials',
    { slices: [{ name: 'who', header: 'authorization' }] },
    'slices[0].header',
    'does not suggest credentials',
  ],
  [
    'a key by its name',
    { slices: [{ name: 'who', header: 'X-Auth-Token' }] },
    'slices[0].header',
    'does not suggest credentials',
  ],
  ['both', { slices: [{ name: 'who', header: 'x', pointer: '/x' }] }, 'slices[0]', 'either a header or a pointer'],
  ['neither', { slices: [{ name: 'who' }] }, 'slices[0]', 'either a header or a pointer'],
  [
    'what is redacted',
    { slices: [{ name: 'who', pointer: '/user/name' }], store: { redact: ['/user'] } },
    'slices[0].pointer',
    'store.redact does not name (/user)',
  ],
  [
    'what is redacted in every item',
    { slices: [{ name: 'who', pointer: '/users/0/name' }], store: { redact: ['/users/*/name'] } },
    'slices[0].pointer',
    'store.redact does not name (/users/*/name)',
  ],
  ['an unknown dimension', check({ slice: 'planet=mars' }), 'gate[0].slice', 'route, bodySize, hour'],
  ['a class of no classes', check({ slice: 'class=7' }), 'gate[0].slice', 'route, bodySize, hour'],
  ['a value that is cut', check({ slice: `route=/${'x'.repeat(100)}` }), 'gate[0].slice', 'at most 100 characters'],
  ['no hour', check({ slice: 'hour=7' }), 'gate[0].slice', '00 to 23'],
  ['no size class', check({ slice: 'bodySize=big' }), 'gate[0].slice', 'le1KiB'],
  ['no slice at all', check({ slice: 'class' }), 'gate[0].slice', 'such as class=7'],
  ['samples of a slice', check({ metric: 'samples', slice: 'hour=07' }), 'gate[0].slice', 'of all traffic'],
  ['an output that is not there', check({ metric: 'outputs.x.mae' }), 'gate[0].metric', 'a metric of a regression'],
  [
    'times of an output',
    { outputs, ...check({ metric: 'outputs.label.latency.delta.p95' }) },
    'gate[0].metric',
    'metric',
  ],
  ['an output by a bad name', { outputs: { 'a.b': outputs.label } }, 'outputs', 'of letters, digits, - and _'],
  ['a bad output', { outputs: { label: { kind: 'classification' } } }, 'outputs.label', 'scores: and/or a label:'],
])('%s is a problem, with its path', (_, more, path, expected) => {
  expect(problemOf({ ...regression, ...more })).toContainEqual([
    `comparator.validations[0].${path}`,
    expect.stringContaining(expected),
  ])
})

test('a check may judge a slice and a further output', () => {
  const gate = [
    { metric: 'agreement', slice: 'class=7', min: 0.9 },
    { metric: 'outputs.label.agreement', slice: 'tenant=a=b', min: 0.9 },
  ]
  expect(problemOf({ ...classification, slices, outputs, gate })).toEqual([])
})

function check(more: object) {
  return { gate: [{ metric: 'mae', max: 1, ...more }] }
}
