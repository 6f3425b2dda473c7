import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CandidateServer } from '../server.ts'
import { call, startTestServer, testModel } from '../testing/start-test-server.ts'
import { wordPiece } from '../testing/tokenizers.ts'

const adapter = fileURLToPath(new URL('../../deploy/examples/embeddings-adapter/adapter.ts', import.meta.url))

let folder: string
let server: CandidateServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-embeddings-'))
  const path = join(folder, 'echo.onnx')
  copyFileSync(testModel('echo-text'), path)
  // sentence-transformers leaves this padding aside
  const padding = { strategy: { Fixed: 9 }, direction: 'Right', pad_to_multiple_of: null, pad_id: 0, pad_type_id: 0 }
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(wordPiece({ padding })))
  server = await startTestServer({ models: [{ name: 'echo', path, adapter, paths: ['/v1/embeddings'] }] })
}, 60_000)
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})
const embed = (input: unknown) => call(`${server.url}/v1/embeddings`, { model: 'any', input })

// the model gives its token ids back, so that a vector is what it was asked
test('the example answers each text of a list in its own row, as long as the longest', async () => {
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

test.each<[unknown, string]>([
  [undefined, 'input must be a text or a list of texts'],
  [['a', 7], 'input must be a text or a list of texts'],
  [[], 'input must be 1 to 64 texts'],
])('the example refuses %j as that API does', async (input, message) => {
  expect(await embed(input)).toMatchObject({ status: 400, body: { error: { message, type: 'invalid_request_error' } } })
})
