import { fastify, LogController } from 'fastify'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { failure } from '../jobs/errors.ts'
import { answerErrors } from './answer-errors.ts'
import { checkRequest } from './check-request.ts'

test('every kind of lost database connection, and a transaction that was undone, is answered with UNAVAILABLE', async () => {
  const app = fastify()
  answerErrors(app)
  const errors = [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    // when a connection breaks between two statements of a transaction
    'Client has encountered a connection error and is not queryable',
  ].map((message) => new Error(message))
  // after a failover
  const message = 'cannot execute INSERT in a read-only transaction'
  errors.push(Object.assign(new Error(message), { code: '25006' }))
  errors.push(Object.assign(new Error('could not serialize access'), { code: '40001' }))
  errors.push(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
  app.get('/:index', async (request) => {
    throw errors[Number((request.params as { index: string }).index)]
  })
  for (const index of errors.keys()) {
    const answer = await app.inject(`/${index}`)
    expect([errors[index], answer.statusCode, answer.json().code]).toEqual([errors[index], 503, 'UNAVAILABLE'])
    expect(answer.headers['retry-after']).toBe('1')
  }
  await app.close()
})

test('the log has the cause of every answer that is our fault, and of no other', async () => {
  const lines: { url: string; msg: string; err: { message: string } }[] = []
  const app = fastify({
    logger: { stream: { write: (line: string) => void lines.push(JSON.parse(line)) } },
    logController: new LogController({ disableRequestLogging: true }),
  })
  answerErrors(app)
  const errors: Record<string, Error> = {
    bug: new TypeError('secret'),
    away: new Error('Connection terminated unexpectedly'),
    refused: failure('BAD_REQUEST', 'no'),
  }
  app.get('/:name', async (request) => {
    throw errors[(request.params as { name: string }).name]
  })
  const statuses = await Array.fromAsync(Object.keys(errors), async (name) => (await app.inject(`/${name}`)).statusCode)
  expect(statuses).toEqual([500, 503, 400])
  expect(lines.map(({ url, msg, err }) => [url, msg, err.message])).toEqual([
    ['/bug', 'internal error; the log has the cause', 'secret'],
    ['/away', 'the database does not answer', 'Connection terminated unexpectedly'],
  ])
  await app.close()
})

test('a refusal for want of a token names the scheme to sign in with', async () => {
  const app = fastify()
  answerErrors(app)
  app.get('/', async () => {
    throw failure('UNAUTHENTICATED', 'expected a token')
  })
  const answer = await app.inject('/')
  expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  expect((await app.inject('/nowhere')).headers).not.toHaveProperty('www-authenticate')
  await app.close()
})

test('every error has the same three fields, with or without details', async () => {
  const app = fastify().setValidatorCompiler(checkRequest)
  answerErrors(app)
  const querystring = Type.Object({ from: Type.String({ description: 'a time' }) })
  app.get('/', { schema: { querystring } }, async () => '')
  expect((await app.inject('/nowhere')).json()).toEqual({
    code: 'NOT_FOUND',
    message: 'no GET /nowhere',
    details: null,
  })
  expect((await app.inject('/')).json()).toEqual({
    code: 'BAD_REQUEST',
    message: 'from: expected a time',
    details: [{ in: 'query', path: 'from', expected: 'a time' }],
  })
  await app.close()
})
