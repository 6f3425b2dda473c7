import { expect, test } from 'vitest'
import { problemsBetween } from './problems-between.ts'

const mirror = {
  comparator: { url: 'http://127.0.0.1:7070', token: 't' },
  capture: { headers: ['Content-Type', 'X-Tenant'] },
  routes: [{ path: '/score', candidates: [{ validation: 'score-int8' }], noiseFloor: { validation: 'score-noise' } }],
}
const validation = { name: 'score-int8', slices: [{ name: 'tenant', header: 'x-tenant' }] }
const comparator = { validations: [validation, { name: 'score-noise' }, { name: 'posted-by-a-program' }] }

test('consistent sections have no problems, nor has one alone, nor a mirror that reports to nobody', () => {
  const { comparator: _, ...silent } = mirror
  for (const sections of [{ mirror, comparator }, { mirror }, { comparator }, { mirror: silent, comparator: {} }, {}]) {
    expect(problemsBetween(sections)).toEqual([])
  }
})

test('a validation that the comparator lacks, of a candidate or of a noise floor', () => {
  const expected = 'a name in comparator.validations: score-int9'
  expect(problemsBetween({ mirror, comparator: { validations: [{ name: 'score-int9' }] } })).toEqual([
    { path: 'mirror.routes[0].candidates[0].validation', value: 'score-int8', expected },
    { path: 'mirror.routes[0].noiseFloor.validation', value: 'score-noise', expected },
  ])
})

test('a slice by a header that the mirror does not capture', () => {
  const slices = [...validation.slices, { name: 'region', header: 'x-region' }, { name: 'user', pointer: '/user' }]
  expect(
    problemsBetween({ mirror, comparator: { validations: [{ name: 'score-int8', slices }, { name: 'score-noise' }] } }),
  ).toEqual([
    {
      path: 'comparator.validations[0].slices[1].header',
      value: 'x-region',
      expected: 'a header in mirror.capture.headers: content-type, x-tenant',
    },
  ])
})

test('malformed values are left to the schemas', () => {
  const nonsense = [null, 3, 'text', [null], { routes: 1, comparator: 1, capture: { headers: 1 }, validations: [1] }]
  for (const mirror of nonsense) for (const comparator of nonsense) problemsBetween({ mirror, comparator })
})
