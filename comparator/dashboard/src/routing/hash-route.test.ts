import { expect, test } from 'vitest'
import { formatRoute, parseRoute, validationHref } from './hash-route.ts'

test('every page has an address that leads back to it', () => {
  for (const route of [
    { page: 'overview' },
    { page: 'audit' },
    { page: 'validation', name: 'digits int8/ü?', range: '6h', metric: 'latency.delta.p95' },
    { page: 'validation', name: 'digits', range: 'window', metric: null },
  ] as const) {
    expect(parseRoute(formatRoute(route))).toEqual(route)
  }
})

test('an unknown range is the window, and an unknown path is no page', () => {
  expect(parseRoute('#/validations/a?range=99y')).toMatchObject({ range: 'window' })
  expect(parseRoute('#/nowhere')).toEqual({ page: 'notFound' })
  expect(parseRoute('#/validations/%E0%A4')).toEqual({ page: 'notFound' })
  expect(parseRoute('')).toEqual({ page: 'overview' })
})

test('what is usual stays out of the address', () => {
  expect(validationHref('digits')).toBe('#/validations/digits')
})
