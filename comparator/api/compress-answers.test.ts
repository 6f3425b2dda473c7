import { gunzipSync } from 'node:zlib'
import { fastify } from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { compressAnswers } from './compress-answers.ts'

const app = fastify()
compressAnswers(app)
const long = { figures: Array.from({ length: 2000 }, (_, i) => i) }
app.get('/long', async () => long)
app.get('/page-or-json', async (_request, reply) => reply.header('vary', 'accept').send(long))
app.get('/short', async () => ({ csrf: 'secret' }))
afterAll(() => app.close())

const get = (url: string, encoding?: string) =>
  app.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })

test('a long answer is compressed, and unpacks to the same content', async () => {
  const response = await get('/long', 'br, gzip;q=0.8')
  expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(Number(response.headers['content-length'])).toBe(response.rawPayload.length)
  expect(JSON.parse(gunzipSync(response.rawPayload).toString())).toEqual(long)
})

test('a client that does not accept gzip gets plain text, with vary for caches', async () => {
  for (const encoding of [undefined, 'identity', 'gzip;q=0']) {
    const response = await get('/long', encoding)
    expect(response.headers['content-encoding'], encoding).toBeUndefined()
    expect(response.headers.vary).toBe('accept-encoding')
    expect(response.json()).toEqual(long)
  }
})

test('an answer that varies otherwise too says both', async () => {
  expect((await get('/page-or-json', 'gzip')).headers.vary).toBe('accept, accept-encoding')
})

test('a short answer, such as one with a secret, is not compressed', async () => {
  expect((await get('/short', 'gzip')).headers['content-encoding']).toBeUndefined()
})
