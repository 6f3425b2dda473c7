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

test('describes exactly what a caller must give, and the status of the answer', async () => {
  const { paths } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  const operations = operationsOf(paths)
  const queries = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.in === 'query')
  expect(queries.filter(({ required, schema }) => required && 'default' in schema)).toEqual([])
  expect(queries.filter(({ schema }) => schema.type === undefined)).toEqual([])
  const { post } = paths['/v1/validations/{name}/promotion']
  expect(post.requestBody.content['application/json'].schema.required).toEqual(['gateId'])
  expect(post.requestBody.required).toBe(true)
  const { requestBody } = paths['/v1/promotions/{id}/rollback'].post
  expect(requestBody.required).toBe(false)
  expect(Object.keys(requestBody.content['application/json'].schema.properties)).toEqual(['comment'])
  const successes = (responses: object) => Object.keys(responses).filter((status) => status < '400')
  expect(successes(post.responses)).toEqual(['201'])
  expect(successes(paths['/v1/session'].delete.responses)).toEqual(['200', '204'])
  expect(Object.keys(paths['/v1/observations'].post.requestBody.content)).toContain('application/x-msgpack')
})

// `call` checks every answer in the other tests against its description
test('describes what each call answers with', async () => {
  const { paths, components } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  const operations = operationsOf(paths)
  const successes = operations.flatMap(({ responses }) =>
    Object.entries<any>(responses).filter(([code]) => code < '300'),
  )
  expect(operations.filter(({ responses }) => Object.keys(responses).every((code) => code >= '400'))).toEqual([])
  expect(successes.filter(([code, { content }]) => (content === undefined) !== (code === '204'))).toEqual([])
  const { schema } = paths['/v1/validations/{name}/metrics'].get.responses['200'].content['application/json']
  expect(schema.$ref).toBe('#/components/schemas/MetricsView')
  expect(components.schemas.MetricTree).toEqual({
    description: expect.any(String),
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

test('describes the errors of each call, with their possible codes, each response once', async () => {
  const { paths, components } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  expect(paths['/healthz'].get['x-errors']).toEqual([])
  expect(paths['/v1/validations/{name}'].get['x-errors']).toEqual(
    'BAD_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND TOO_MANY_FAILURES INTERNAL UNAVAILABLE'.split(' '),
  )
  const { post } = paths['/v1/validations/{name}/promotion']
  expect(post['x-errors']).toEqual(
    expect.arrayContaining(['CSRF_MISMATCH', 'GATE_NOT_PASSED', 'GATE_STALE', 'PROMOTION_UNDER_WAY']),
  )
  const name = 'GateNotPassedOrGateStaleOrPromotionUnderWay'
  expect(post.responses['409']).toEqual({ $ref: `#/components/responses/${name}` })
  expect(components.responses[name].description).toMatch(/`GATE_NOT_PASSED`: .*\n\n`GATE_STALE`: /)
  const errors = operationsOf(paths).flatMap(({ responses }) =>
    Object.entries<any>(responses).flatMap(([status, answer]) => (status < '400' ? [] : [answer.$ref])),
  )
  expect(new Set(errors)).toEqual(
    new Set(Object.keys(components.responses).map((name) => `#/components/responses/${name}`)),
  )
  const schemas = Object.values<any>(components.responses).map(({ content }) => content['application/json'].schema)
  expect(new Set(schemas.map(({ $ref }) => $ref))).toEqual(new Set(['#/components/schemas/ErrorBody']))
})

test('names each operation once, by a verb and a noun, with a summary and a group', async () => {
  const { paths, tags } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  const operations = operationsOf(paths)
  const ids = operations.map(({ operationId }) => operationId)
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*$/.test(id))).toEqual([])
  expect(ids.toSorted()).toEqual([...new Set(ids)].sort())
  expect(operations.filter(({ summary }) => !summary)).toEqual([])
  const groups = new Set(operations.flatMap((operation) => operation.tags ?? [undefined]))
  expect(groups).toEqual(new Set(tags.map(({ name }: { name: string }) => name)))
})

test('describes every field and parameter', async () => {
  const { paths, components } = (await comparator.call('GET', '/openapi.json', { token: '' })).body
  const bodies = operationsOf(paths).map(({ operationId, requestBody, responses }) => [
    operationId,
    { requestBody, responses },
  ])
  const schemas: [string, object][] = Object.entries(components.schemas)
  expect(schemas.filter(([, schema]) => !('description' in schema)).map(([name]) => name)).toEqual([])
  const fields = [...schemas, ...bodies].flatMap(([name, schema]) => fieldsOf(schema, name))
  expect(fields.length).toBeGreaterThan(500)
  expect(fields.filter(([, field]) => !saysWhatItIs(field)).map(([path]) => path)).toEqual([])
  const parameters = operationsOf(paths).flatMap(({ parameters = [] }) => parameters)
  expect(parameters.filter(({ description }) => !description)).toEqual([])
})

const operationsOf = (paths: object): any[] => Object.values(paths).flatMap((path) => Object.values(path as object))

/** Every field of every object in a schema, with its path. */
function fieldsOf(schema: any, path: string): [path: string, field: any][] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = Object.entries<any>(schema.properties ?? {})
  const others = Object.entries<any>(schema).filter(([key]) => key !== 'properties')
  return [
    ...own.map(([key, field]): [string, any] => [`${path}.${key}`, field]),
    ...own.flatMap(([key, field]) => fieldsOf(field, `${path}.${key}`)),
    ...others.flatMap(([, part]) => fieldsOf(part, path)),
  ]
}

/** A reference is described at its target, a constant by its value. */
function saysWhatItIs(field: any): boolean {
  if (field.description || '$ref' in field || 'const' in field) return true
  return field.anyOf?.every((one: any) => one.type === 'null' || saysWhatItIs(one)) ?? false
}
