import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { CandidateServer } from '../server.ts'
import { call, startTestServer, testModel } from '../testing/start-test-server.ts'
import { wordPiece } from '../testing/tokenizers.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const example = readFileSync(`${root}deploy/examples/embeddings-adapter/adapter.ts`, 'utf8')

/** The example in a user's own folder, with its imports pointing to the checkout. */
function exampleIn(folder: string): string {
  const adapter = join(folder, 'adapter.ts')
  writeFileSync(adapter, example.replaceAll('../../../', root))
  return adapter
}

let folder: string
let server: CandidateServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-embeddings-'))
  const path = join(folder, 'echo.onnx')
  copyFileSync(testModel('echo-text'), path)
  // sentence-transformers ignores this padding
  const padding = { strategy: { Fixed: 9 }, direction: 'Right', pad_to_multiple_of: null, pad_id: 0, pad_type_id: 0 }
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(wordPiece({ padding })))
  const adapter = exampleIn(folder)
  server = await startTestServer({ models: [{ name: 'echo', path, adapter, paths: ['/v1/embeddings'] }] })
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})
const embed = (input: unknown, more: object = {}) =>
  call(`${server.url}/v1/embeddings`, { model: 'any', input, ...more })

// the model returns its token ids, so that a vector shows what was asked
test('the example answers each text of a list in a row of its own, padded to the longest text', async () => {
  const { status, body } = await embed(['Unaffable cats', 'the mat', ''])
  expect([status, body]).toEqual([
    200,
    {
      object: 'list',
      model: 'echo',
      data: [
        { object: 'embedding', index: 0, embedding: [2, 4, 5, 6, 8, 10, 3] },
        { object: 'embedding', index: 1, embedding: [2, 7, 12, 3, 0, 0, 0] },
        { object: 'embedding', index: 2, embedding: [2, 3, 0, 0, 0, 0, 0] },
      ],
      usage: { prompt_tokens: 13, total_tokens: 13 },
    },
  ])
  expect((await embed('the mat')).body.data).toEqual([{ object: 'embedding', index: 0, embedding: [2, 7, 12, 3] }])
})

test('the example answers in base64 of float32 if the client asks for it, which openai’s client does by default', async () => {
  const { body } = await embed('the mat', { encoding_format: 'base64' })
  const bytes = Buffer.from(body.data[0].embedding, 'base64')
  expect([0, 4, 8, 12].map((at) => bytes.readFloatLE(at))).toEqual([2, 7, 12, 3])
  expect(bytes).toHaveLength(16)
  expect((await embed('the mat', { encoding_format: 'float' })).body.data[0].embedding).toEqual([2, 7, 12, 3])
})

test('the example does not start without its tokenizer', async () => {
  const bare = mkdtempSync(join(tmpdir(), 'understudy-embeddings-'))
  onTestFinished(() => rmSync(bare, { recursive: true }))
  const models = [{ name: 'echo', path: testModel('echo-text'), adapter: exampleIn(bare) }]
  await expect(startTestServer({ models })).rejects.toThrow(/there is no tokenizer at .*tokenizer\.json/)
})

test.each<[unknown, string]>([
  [undefined, 'input must be a text or a list of texts'],
  [['a', 7], 'input must be a text or a list of texts'],
  [[], 'input must be 1 to 64 texts'],
  [[[7, 12]], 'input must be a text or a list of texts'],
  ['a'.repeat(100_001), expect.stringContaining('100001')],
])('the example refuses %j as that API does', async (input, message) => {
  expect(await embed(input)).toMatchObject({ status: 400, body: { error: { message, type: 'invalid_request_error' } } })
})

test('the example refuses broken JSON and other encodings as that API does', async () => {
  const broken = await fetch(`${server.url}/v1/embeddings`, { method: 'POST', body: '{' })
  expect([broken.status, await broken.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }])
  const { status, body } = await embed('a', { encoding_format: 'hex' })
  expect([status, body.error.param]).toEqual([400, 'encoding_format'])
})
