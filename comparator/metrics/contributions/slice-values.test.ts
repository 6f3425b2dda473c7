import { describe, expect, test } from 'vitest'
import { sliceValuesMax } from '../../../vocabulary/slice/slice-key.ts'
import { compareObservation } from '../../compare/compare-observation.ts'
import { answered, classification, observe, policyOf, randomFrom, regression } from '../rollups.fixture.ts'
import { dimensionsOf, type KeptValues, keepValues, keysOf, namedValues, sliceValuesOf } from './slice-values.ts'

const digits = policyOf(classification(['a', 'b']))
const named = {
  ...policyOf(regression),
  slices: [
    { name: 'tenant', header: 'x-tenant' },
    { name: 'country', pointer: '/user/country' },
  ],
}
const valuesOf = (policy: typeof named | typeof digits, request: object, primary: unknown = { scores: [0.2, 0.8] }) => {
  const observation = observe(answered(primary), answered(primary), request)
  return sliceValuesOf(policy, observation, compareObservation(policy.output, observation))
}

describe('an observation is sliced by', () => {
  test('its route without the query, the size of its body and the primary’s prediction', () => {
    expect(valuesOf(digits, { path: '/a/b?secret=1#x', bodyBytes: 2000 })).toEqual({
      route: '/a/b',
      bodySize: 'le10KiB',
      class: 'b',
    })
    expect(dimensionsOf(digits)).toEqual(['route', 'bodySize', 'class', 'hour'])
  })

  test('no class where the primary predicted none', () => {
    expect(valuesOf(digits, {}, '{')).toMatchObject({ class: '(none)' })
  })

  test('a class of its own where the primary gave no label', () => {
    const tags = policyOf({ kind: 'classification', scores: '/scores', topK: 1, scoreMin: 0.5 })
    expect(valuesOf(tags, {}, { scores: [] })).toMatchObject({ class: '(no label)' })
  })

  test('a header in any case and a field of the body, whatever its encoding', () => {
    const body = JSON.stringify({ user: { country: 'SI' } })
    const inBase64 = { body: Buffer.from(body).toString('base64'), bodyEncoding: 'base64' as const }
    for (const request of [{ body }, inBase64]) {
      expect(valuesOf(named, { headers: { 'X-Tenant': 'acme' }, ...request })).toMatchObject({
        tenant: 'acme',
        country: 'SI',
      })
    }
    expect(dimensionsOf(named)).toEqual(['route', 'bodySize', 'hour', 'tenant', 'country'])
  })

  test('a 64-bit field with all of its digits', () => {
    const of = (country: string) => valuesOf(named, { body: `{"user":{"country":${country}}}` })
    expect(of('9007199254740993')).toMatchObject({ country: '9007199254740993' })
    expect(of('-7')).toMatchObject({ country: '-7' })
  })

  test.each([
    ['no body', {}],
    ['no JSON', { body: '{' }],
    ['no such field', { body: '{"user":1}' }],
    ['an object', { body: '{"user":{"country":{}}}' }],
    ['an empty text', { body: '{"user":{"country":""}}', headers: { 'x-tenant': '' } }],
  ])('(none) where there is %s', (_, request) => {
    expect(valuesOf(named, request)).toMatchObject({ tenant: '(none)', country: '(none)' })
  })

  test('a value that can be stored as a key', () => {
    const { tenant } = valuesOf(named, { headers: { 'x-tenant': `\0\ud800${'x'.repeat(500)}` } })
    expect(tenant).toBe(`\ufffd\ufffd${'x'.repeat(98)}`)
  })
})

describe('among the values of a dimension,', () => {
  const keep = (values: string[], names: string[] = []) => {
    const kept: KeptValues = {}
    const found = values.map((tenant) => keepValues({ tenant }, kept, { tenant: names }).tenant!)
    return { kept: kept.tenant!, found }
  }

  test('the first fifty are counted separately, each as a whole, and the rest together', () => {
    const random = randomFrom(7)
    const values = Array.from({ length: 5000 }, () => `t${Math.floor(random() * 200)}`)
    const { kept, found } = keep([...values, '(none)'])
    expect(kept).toHaveLength(sliceValuesMax + 2)
    expect(found.at(-1)).toBe('(none)')
    for (const [i, value] of values.entries()) expect([value, '(other)']).toContain(found[i])
    for (const value of kept.slice(0, sliceValuesMax)) {
      expect(found.filter((of) => of === value)).toHaveLength(values.filter((of) => of === value).length)
    }
  })

  test('those that the gate names are counted separately whenever they arrive', () => {
    const many = Array.from({ length: 100 }, (_, i) => `t${i}`)
    const { kept, found } = keep([...many, 'acme', 'zeta'], ['acme', 'zeta'])
    expect(found.slice(-2)).toEqual(['acme', 'zeta'])
    expect(kept.filter((value) => value !== '(other)')).toHaveLength(sliceValuesMax)
  })

  test('all are counted whatever the dimension is called', () => {
    const kept: KeptValues = {}
    const gate = [{ metric: 'mae', max: 1, slice: 'toString=b' }]
    const values = { constructor: 'a', toString: 'b' } as unknown as Record<string, string>
    expect(keepValues(values, kept, namedValues(policyOf(regression, gate)))).toEqual(values)
    expect(kept).toEqual({ constructor: ['a'], toString: ['b'] })
  })

  test('those that the gate names are found in its checks', () => {
    const gate = [
      { metric: 'mae', max: 1, slice: 'tenant=a=b' },
      { metric: 'bias', max: 1, slice: 'tenant=a=b' },
      { metric: 'mae', max: 1, slice: 'route=/x' },
      { metric: 'mae', max: 1 },
    ]
    expect(namedValues(policyOf(regression, gate))).toEqual({ tenant: ['a=b'], route: ['/x'] })
  })
})

test('the slice keys of an observation are its dimensions with their values', () => {
  expect(keysOf({ class: '7', tenant: 'a=b' })).toEqual(['class=7', 'tenant=a=b'])
})
