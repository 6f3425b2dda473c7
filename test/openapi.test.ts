import { afterAll, beforeAll, expect, test } from 'vitest'
import { regression, startTestComparator, type TestComparator } from './support/comparator.ts'

let comparator: TestComparator
beforeAll(async () => {
  comparator = await startTestComparator([regression])
})
afterAll(() => comparator?.close())

test('describes itself', async () => {
  const { body } = await comparator.call('GET', '/openapi.json', { token: '' })
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining(['/v1/observations', '/v1/validations/{name}/gate', '/v1/routing']),
  )
  const text = (await comparator.call('GET', '/metrics', { token: '' })).body
  expect(text).toContain('understudy_comparator_observations_accepted_total')
})

test('describes what a caller must give, and no more, and the status that it answers with', async () => {
  const { paths } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  const operations: any[] = Object.values(paths).flatMap((path) => Object.values(path as object))
  const queries = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.in === 'query')
  expect(queries.filter(({ required, schema }) => required && 'default' in schema)).toEqual([])
  const { post } = paths['/v1/validations/{name}/promotion']
  expect(post.requestBody.content['application/json'].schema.required).toEqual(['gateId'])
  expect(post.requestBody.required).toBe(true)
  expect(paths['/v1/promotions/{id}/rollback'].post.requestBody.required).toBe(false)
  const successes = (responses: object) => Object.keys(responses).filter((status) => status < '400')
  expect(successes(post.responses)).toEqual(['201'])
  expect(successes(paths['/v1/session'].delete.responses)).toEqual(['204'])
  expect(Object.keys(paths['/v1/observations'].post.requestBody.content)).toContain('application/x-msgpack')
})

// that answers are as described, `call` checks of each that a test gets
test('describes what each call answers with', async () => {
  const { paths, components } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  const operations: any[] = Object.values(paths).flatMap((path) => Object.values(path as object))
  const successes = operations.flatMap(({ responses }) =>
    Object.entries<any>(responses).filter(([code]) => code < '300'),
  )
  expect(operations.filter(({ responses }) => Object.keys(responses).every((code) => code >= '400'))).toEqual([])
  expect(successes.filter(([code, { content }]) => (content === undefined) !== (code === '204'))).toEqual([])
  const { schema } = paths['/v1/validations/{name}/metrics'].get.responses['200'].content['application/json']
  expect(schema.$ref).toBe('#/components/schemas/MetricsView')
  expect(components.schemas.MetricTree).toEqual({
    type: 'object',
    additionalProperties: {
      anyOf: [{ type: 'number' }, { type: 'null' }, { $ref: '#/components/schemas/MetricTree' }],
    },
  })
  const refs = JSON.stringify([paths, components]).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)
  expect([...refs].filter(([, name]) => !(name! in components.schemas))).toEqual([])
  expect(JSON.stringify(components)).not.toMatch(/"\$id"|"patternProperties"|"additionalItems"/)
  expect(operations.filter(({ security, 'x-role': role }) => security.length > 0 !== (role !== undefined))).toEqual([])
})

test('describes the errors of each call, with the codes that it can give', async () => {
  const { paths } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  const codesOf = (responses: Record<string, any>) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      status < '400' ? [] : content['application/json'].schema.properties.code.enum,
    )
  expect(codesOf(paths['/healthz'].get.responses)).toEqual([])
  expect(codesOf(paths['/v1/validations/{name}'].get.responses)).toEqual(
    'BAD_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND TOO_MANY_FAILURES INTERNAL UNAVAILABLE'.split(' '),
  )
  expect(codesOf(paths['/v1/validations/{name}/promotion'].post.responses)).toEqual(
    expect.arrayContaining(['CSRF_MISMATCH', 'GATE_NOT_PASSED', 'GATE_STALE', 'PROMOTION_UNDER_WAY']),
  )
})
