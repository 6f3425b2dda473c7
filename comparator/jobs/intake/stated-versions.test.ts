import { expect, test } from 'vitest'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import type { Outcome } from '../../../vocabulary/outcome.ts'
import { answeredWith } from '../../compare/compare.fixture.ts'
import { withStatedVersions } from './stated-versions.ts'

const oip: OutputMapping = { kind: 'regression', protocol: 'oip', value: '/p' }
const json: OutputMapping = { kind: 'regression', value: '/p' }
const body = (model_version: unknown) => ({
  model_version,
  outputs: [{ name: 'p', datatype: 'FP32', shape: [1], data: [1] }],
})
const versionsOf = (output: OutputMapping, primary: Outcome, candidate: Outcome) => {
  const named = withStatedVersions(output, { primary, candidate } as Observation)
  return [named.primary.version, named.candidate.version]
}

test('a version comes from the header, or else from the body of an Open Inference Protocol answer', () => {
  const timedOut: Outcome = { kind: 'timedOut', totalMs: 1 }
  expect(versionsOf(oip, answeredWith(body('3')), { ...answeredWith(body('1')), version: 'int8' })).toEqual([
    '3',
    'int8',
  ])
  expect(versionsOf(oip, answeredWith({ error: 'no such model' }), timedOut)).toEqual([undefined, undefined])
  expect(versionsOf(json, answeredWith(body('3')), answeredWith(body('1')))).toEqual([undefined, undefined])
  // each side has a protocol of its own
  const mixed: OutputMapping = {
    kind: 'regression',
    primary: { protocol: 'oip', value: '/p' },
    candidate: { value: '/p' },
  }
  expect(versionsOf(mixed, answeredWith(body('3')), answeredWith(body('1')))).toEqual(['3', undefined])
})

test('what is no version is none', () => {
  for (const wrong of [3, '', null, 'v'.repeat(201), undefined]) {
    expect(versionsOf(oip, answeredWith(body(wrong)), answeredWith('not JSON'))).toEqual([undefined, undefined])
  }
})

test('it stands before binary tensors too', () => {
  const head = Buffer.from(JSON.stringify({ model_version: '3', outputs: [] }))
  const binary = Buffer.concat([head, Buffer.from(new Float32Array([0.7, 3]).buffer)]).toString('base64')
  const headers = { 'inference-header-content-length': String(head.length) }
  for (const more of [{ headers }, {}]) {
    const outcome = answeredWith(binary, { bodyEncoding: 'base64', ...more })
    expect(versionsOf(oip, outcome, outcome)).toEqual(['3', '3'])
  }
})
