import { expect, test } from 'vitest'
import { formatRoute, observationHref, observationsHref, parseRoute, validationHref } from './hash-route.ts'
import { rangeQuery } from './range.ts'

const whole = { kind: 'window' } as const

test('every page has an address that leads back to it', () => {
  for (const route of [
    { page: 'overview' },
    { page: 'mirrors', at: null },
    { page: 'mirrors', at: 'mirror eu-1/ü&?' },
    { page: 'audit', validation: null, actor: null },
    { page: 'audit', validation: 'a&b=c', actor: 'oidc:ana@example.com #1' },
    {
      page: 'observation',
      id: '0193a7b0-0000-7000-8000-000000000000',
      order: 'typical',
      slice: 'class=7',
      comparison: 'failed',
      range: whole,
    },
    {
      page: 'validation',
      name: 'digits int8/ü?',
      range: { kind: 'last', duration: '6h' },
      metric: 'latency.delta.p95',
      slice: 'tenant=a&b=c #1',
      output: 'scores',
      quantile: 'p50',
      by: 'tenant',
      at: 'latency',
    },
    {
      page: 'validation',
      name: 'digits',
      range: whole,
      metric: null,
      slice: null,
      output: null,
      quantile: null,
      by: null,
      at: null,
    },
    {
      page: 'observations',
      name: 'digits',
      order: 'typical',
      slice: 'class=7',
      comparison: 'failed',
      range: { kind: 'between', from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2, 3, 4, 5, 678) },
    },
    { page: 'observations', name: 'a/b', order: 'worst', slice: null, comparison: null, range: whole },
  ] as const) {
    expect(parseRoute(formatRoute(route))).toEqual(route)
  }
})

test('invalid parts of an address take their defaults, and an unknown path is no page', () => {
  const usual = { range: whole }
  for (const query of [
    'range=99999y',
    'range=-1h',
    'from=2026-11-21',
    'from=2026-11-22&to=2026-11-21',
    'from=x&to=y',
    'from=2026-02-30&to=2026-03-05',
  ]) {
    expect(parseRoute(`#/validations/a?${query}`), query).toMatchObject(usual)
  }
  expect(parseRoute('#/validations/a/observations?order=best&comparison=odd')).toMatchObject({
    order: 'worst',
    comparison: null,
  })
  for (const path of ['#/nowhere', '#/validations/%E0%A4', '#/validations', '#/validations/a/b', '#/observations']) {
    expect(parseRoute(path), path).toEqual({ page: 'notFound' })
  }
  expect(parseRoute('')).toEqual({ page: 'overview' })
})

test('what was not compared is listed newest first, as no difference puts it among the worst', () => {
  const list = parseRoute(observationsHref('a', { comparison: 'skipped' }))
  expect(list).toMatchObject({ order: 'newest', comparison: 'skipped' })
  expect(parseRoute('#/observations/1?comparison=skipped&order=typical')).toMatchObject({ order: 'typical' })
})

test('defaults are left out of the address', () => {
  expect(validationHref('digits')).toBe('#/validations/digits')
  expect(observationsHref('digits')).toBe('#/validations/digits/observations')
})

test('times in an address are legible', () => {
  const range = { kind: 'between', from: Date.UTC(2026, 10, 21, 8), to: Date.UTC(2026, 10, 21, 9) } as const
  expect(validationHref('d', { range })).toBe('#/validations/d?from=2026-11-21T08:00:00Z&to=2026-11-21T09:00:00Z')
})

test('the window is left to the comparator, a duration is counted back from now', () => {
  const now = Date.UTC(2026, 10, 21, 12)
  expect(rangeQuery(whole, now)).toEqual([])
  expect(rangeQuery({ kind: 'last', duration: '6h' }, now)).toEqual([['from', '2026-11-21T06:00:00Z']])
})

test('a list leads to one of its observations, and that one back to its list', () => {
  const list = {
    page: 'observations',
    name: 'digits',
    order: 'newest',
    slice: 'class=7',
    comparison: null,
    range: whole,
  } as const
  const one = observationHref('abc', list)
  expect(one).toBe('#/observations/abc?order=newest&slice=class%3D7')
  const route = parseRoute(one)
  if (route.page !== 'observation') throw new Error(route.page)
  expect(observationsHref('digits', route)).toBe(formatRoute(list))
})
