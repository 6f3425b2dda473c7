import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiError } from '../../../runtime/api-error.ts'
import type { CandidateServer } from '../../server.ts'
import { loadHere } from '../../testing/load-here.ts'
import { call, startTestServer, testConfig, testModel } from '../../testing/start-test-server.ts'
import { bytePair, wordPiece } from '../../testing/tokenizers.ts'
import type { WorkerAdapter } from '../worker-adapter.ts'
import { createTextAdapter } from './text.ts'

let folder: string
/** For tests of a text's whole path. Effects of options are tested on the adapters directly. */
let server: CandidateServer
const adapters = new Map<string, WorkerAdapter>()
/** A model that returns its inputs, in a folder with its tokenizer. */
function textModel(name: string, tokenizer: unknown, text?: Record<string, unknown>, model = 'echo-text') {
  const path = join(folder, `${name}.onnx`)
  copyFileSync(testModel(model), path)
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(tokenizer))
  return { name, path, adapter: 'text', text: { tokenizer: file, ...text } }
}

/** The adapter of such a model, as it runs in its thread. */
async function create({ name, path, text: { tokenizer, ...options } }: ReturnType<typeof textModel>) {
  const { info } = (await loadHere(path)).model
  const model = { ...info, name, version: '1', labels: undefined, path, runsAlone: false }
  return createTextAdapter(model, { options, tokenizerPath: tokenizer })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-text-'))
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(wordPiece()))
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ model_max_length: 9 }))
  copyFileSync(testModel('echo-text'), join(folder, 'beside.onnx'))
  const truncation = (max_length: number, own = {}) => ({
    truncation: { max_length, strategy: 'LongestFirst', stride: 0, direction: 'Right', ...own },
  })
  const padding = (own: Record<string, unknown>) => ({
    padding: {
      strategy: 'BatchLongest',
      direction: 'Right',
      pad_to_multiple_of: null,
      pad_id: 0,
      pad_type_id: 0,
      ...own,
    },
  })
  server = await startTestServer({
    models: [
      { name: 'beside', path: join(folder, 'beside.onnx'), adapter: 'text' },
      textModel('fixed', wordPiece(), {}, 'echo-text-of-twelve'),
    ],
  })
  for (const model of [
    textModel('cut', wordPiece(truncation(6))),
    textModel('cut-left', wordPiece(truncation(6, { direction: 'Left' }))),
    textModel('cut-first', wordPiece(truncation(8, { strategy: 'OnlyFirst' }))),
    textModel('refusing', wordPiece(), { maxLength: 6, truncate: false }),
    textModel('longest', wordPiece(), { maxLength: 8, padding: 'maxLength' }),
    textModel('fours', wordPiece(), { maxLength: 16, padToMultipleOf: 4 }),
    textModel('own-padding', wordPiece(padding({ strategy: { Fixed: 7 }, direction: 'Left', pad_type_id: 1 }))),
    textModel('fixed-multiple', wordPiece(padding({ strategy: { Fixed: 4 }, pad_to_multiple_of: 3 }))),
    textModel('unsayable', wordPiece({ model: { ...wordPiece().model, unk_token: '[NONE]' } })),
    textModel('pairs', bytePair(), { charactersMax: 30 }),
  ])
    adapters.set(model.name, await create(model))
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})
async function predict(model: string, body: unknown, headers?: Record<string, string>) {
  const adapter = adapters.get(model)
  if (!adapter) return call(`${server.url}/predictions/${model}`, body, headers)
  const bytes = Buffer.from(JSON.stringify(body))
  const json = { 'content-type': 'application/json' }
  const request = { method: 'POST', path: '/', headers: json, body: bytes, json: () => body }
  try {
    const tensors = Object.entries(await adapter.toTensors(request))
    const given = tensors.map(([name, { data }]) => [`${name}_out`, Array.from(data as Int32Array, Number)])
    return { status: 200, body: { predictions: Object.fromEntries(given) } }
  } catch (error) {
    const { status, message } = error as ApiError
    return { status, body: { message } }
  }
}
const inputsOf = async (model: string, body: unknown, headers?: Record<string, string>) => {
  const { status, body: answer } = await predict(model, body, headers)
  expect(status, answer.message).toBe(200)
  const { input_ids_out: ids, attention_mask_out: mask, token_type_ids_out: types } = answer.predictions
  return { ids, mask, types }
}

describe('what the model gets', () => {
  test('is the pieces’ ids between the special tokens, using the tokenizer beside the model', async () => {
    // unaffable → un ##aff ##able; cats → cat ##s; dog has no matching pieces
    expect(await inputsOf('beside', { text: 'Unaffable cats, the dog.' })).toEqual({
      ids: [2, 4, 5, 6, 8, 10, 1, 7, 3],
      mask: [1, 1, 1, 1, 1, 1, 1, 1, 1],
      types: [0, 0, 0, 0, 0, 0, 0, 0, 0],
    })
    expect((await inputsOf('beside', { text: 'ÜNAFFABLE' })).ids).toEqual([2, 4, 5, 6, 3])
    expect((await inputsOf('beside', { text: '' })).ids).toEqual([2, 3])
  })

  test('is the same for {"text"}, a JSON string, the bare text, and undeclared JSON', async () => {
    const ids = [2, 7, 8, 9, 3]
    expect((await inputsOf('beside', { text: 'the cat sat' })).ids).toEqual(ids)
    expect((await inputsOf('beside', 'the cat sat', { 'content-type': 'text/plain; charset=utf-8' })).ids).toEqual(ids)
    expect((await inputsOf('beside', '"the cat sat"', { 'content-type': 'application/json' })).ids).toEqual(ids)
    expect((await inputsOf('beside', ' {"text": "the cat sat"}', { 'content-type': 'Application/JSON' })).ids).toEqual(
      ids,
    )
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const before of ['', '\n  ', '\ufeff']) {
      expect((await inputsOf('beside', `${before}{"text": "the cat sat"}`, form)).ids).toEqual(ids)
    }
    expect((await inputsOf('beside', 'the cat sat', form)).ids).toEqual(ids)
    // a body declared as text is text, even if it looks like JSON
    expect((await inputsOf('beside', '"the"', { 'content-type': 'text/plain' })).ids).toEqual([2, 1, 7, 1, 3])
  })

  test('is the same for a multipart body’s only part, whatever its boundary', async () => {
    const ids = [2, 7, 8, 9, 3]
    const form = (part: string | Blob) => {
      const body = new FormData()
      body.append('data', part)
      return body
    }
    expect((await inputsOf('beside', form('the cat sat'))).ids).toEqual(ids)
    expect((await inputsOf('beside', form(new Blob(['the cat sat'], { type: 'text/plain' })))).ids).toEqual(ids)
    expect((await inputsOf('beside', form(new Blob(['the cat sat'])))).ids).toEqual(ids)
    expect((await inputsOf('beside', form(new Blob(['{"text": "the cat sat"}'])))).ids).toEqual(ids)
    const raw = '--b\r\ncontent-disposition: form-data; name="data"\r\n\r\nthe cat sat\r\n--b--\r\n'
    expect((await inputsOf('beside', raw, { 'content-type': 'Multipart/Form-Data; boundary=b' })).ids).toEqual(ids)
    // a second part would be ignored, and with it half of the request
    const pair = form('the cat')
    pair.append('textPair', 'sat')
    expect(await predict('beside', pair)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('with one part: got more') },
    })
  })

  test('of two texts has the second one’s type and separators, as the tokenizer defines', async () => {
    expect(await inputsOf('beside', { text: 'the cat', textPair: 'sat' })).toEqual({
      ids: [2, 7, 8, 3, 9, 3],
      mask: [1, 1, 1, 1, 1, 1],
      types: [0, 0, 0, 0, 1, 1],
    })
    expect((await inputsOf('beside', { text: 'the cat', textPair: '' })).types).toEqual([0, 0, 0, 0, 1])
    // RoBERTa: <s> A </s></s> B </s>, without a second type
    expect(await inputsOf('pairs', { text: 'low lower', textPair: 'lower' })).toEqual({
      ids: [0, 10, 12, 11, 2, 2, 10, 11, 2],
      mask: [1, 1, 1, 1, 1, 1, 1, 1, 1],
      types: [0, 0, 0, 0, 0, 0, 0, 0, 0],
    })
  })

  test('is 32-bit and has the length that the model fixes, with only the inputs it takes', async () => {
    const { body } = await predict('fixed', { text: 'the cat sat' })
    expect(body.predictions).toEqual({
      input_ids_out: [2, 7, 8, 9, 3, 0, 0, 0, 0, 0, 0, 0],
      attention_mask_out: [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
    })
    const long = await predict('fixed', { text: 'the cat sat on the mat '.repeat(9) })
    expect(long.body.predictions.input_ids_out).toEqual([2, 7, 8, 9, 11, 7, 12, 7, 8, 9, 11, 3])
  })
})

describe('truncation', () => {
  test('cuts the text and keeps the special tokens', async () => {
    const text = 'the cat sat on the mat.'
    expect((await inputsOf('cut', { text })).ids).toEqual([2, 7, 8, 9, 11, 3])
    expect((await inputsOf('cut-left', { text })).ids).toEqual([2, 11, 7, 12, 13, 3])
    // tokenizer_config.json beside the model says 9
    expect((await inputsOf('beside', { text })).ids).toEqual([2, 7, 8, 9, 11, 7, 12, 13, 3])
    expect((await inputsOf('beside', { text: `${text} ${text}` })).ids).toHaveLength(9)
  })

  test('of two texts cuts the longer one until both are equal', async () => {
    const long = 'the cat sat on the mat'
    // leaves three positions for the two texts
    expect((await inputsOf('cut', { text: long, textPair: 'mat' })).ids).toEqual([2, 7, 8, 3, 12, 3])
    expect((await inputsOf('cut', { text: 'mat', textPair: long })).ids).toEqual([2, 12, 3, 7, 8, 3])
    expect((await inputsOf('cut', { text: long, textPair: long })).ids).toEqual([2, 7, 3, 7, 8, 3])
    expect((await inputsOf('cut-first', { text: long, textPair: 'sat on' })).ids).toEqual([2, 7, 8, 9, 3, 9, 11, 3])
    expect(await predict('cut-first', { text: long, textPair: long })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('at most 8 tokens with the special ones, got 15, of which OnlyFirst') },
    })
  })

  test('can be refused instead', async () => {
    expect((await inputsOf('refusing', { text: 'the cat sat on' })).ids).toHaveLength(6)
    const { status, body } = await predict('refusing', { text: 'the cat sat on mat' })
    expect([status, body.message]).toEqual([400, 'text: expected at most 6 tokens with the special ones, got 7'])
  })
})

describe('padding', () => {
  test('to the multiple of a fixed length, and a longer text not at all', async () => {
    expect((await inputsOf('fixed-multiple', { text: 'the' })).ids).toEqual([2, 7, 3, 0, 0, 0])
    expect((await inputsOf('fixed-multiple', { text: 'the cat sat on mat' })).ids).toEqual([2, 7, 8, 9, 11, 12, 3])
  })

  test('to the longest input, to a multiple, or as the tokenizer itself says', async () => {
    expect(await inputsOf('longest', { text: 'the cat' })).toEqual({
      ids: [2, 7, 8, 3, 0, 0, 0, 0],
      mask: [1, 1, 1, 1, 0, 0, 0, 0],
      types: [0, 0, 0, 0, 0, 0, 0, 0],
    })
    expect((await inputsOf('fours', { text: 'the cat' })).ids).toEqual([2, 7, 8, 3])
    expect((await inputsOf('fours', { text: 'the cat sat' })).ids).toEqual([2, 7, 8, 9, 3, 0, 0, 0])
    expect(await inputsOf('own-padding', { text: 'the cat' })).toEqual({
      ids: [0, 0, 0, 2, 7, 8, 3],
      mask: [0, 0, 0, 1, 1, 1, 1],
      types: [1, 1, 1, 0, 0, 0, 0],
    })
    // longer than that, but not truncated
    expect((await inputsOf('own-padding', { text: 'the cat sat on the mat' })).ids).toHaveLength(8)
  })
})

describe('requests that are refused', () => {
  test.each<[string, string, unknown, Record<string, string>, RegExp]>([
    ['a number', 'beside', '7', { 'content-type': 'application/json' }, /expected a string, or {"text": string/],
    ['a text that is a number', 'beside', { text: 7 }, {}, /expected a string, or {"text": string/],
    ['several texts', 'beside', '["a", "b"]', { 'content-type': 'application/json' }, /send one text at a time/],
    ['an unknown key', 'beside', { text: 'a', texts: [] }, {}, /there is no texts/],
    ['broken JSON', 'beside', '{"text": ', { 'content-type': 'application/json' }, /expected a JSON body/],
    ['half a character', 'beside', '"\\ud800"', { 'content-type': 'application/json' }, /half a surrogate pair/],
    ['no UTF-8', 'beside', Buffer.from([0xff, 0xfe]), { 'content-type': 'text/plain' }, /a text in UTF-8/],
    ['a text too long', 'pairs', { text: 'low '.repeat(8) }, {}, /at most text\.charactersMax, 30 characters, got 32/],
    ['what has no token', 'unsayable', { text: 'dog' }, {}, /the tokenizer does not know "\[NONE\]"/],
  ])('%s', async (_, model, body, headers, message) => {
    expect(await predict(model, body, headers)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    })
  })
})

describe('models and tokenizers that do not suit each other are refused at the start', () => {
  test('because there is no tokenizer beside the model', async () => {
    const model = { name: 'm', path: testModel('echo-text'), adapter: 'text' }
    await expect(startTestServer({ models: [model] })).rejects.toThrow(/there is no tokenizer at .*testdata/)
  })

  test.each<[string, () => ReturnType<typeof textModel>, RegExp]>([
    ['no token ids', () => textModel('m', wordPiece(), {}, 'echo-rgb'), /the model has no input input_ids/],
    ['no tokenizer in it', () => textModel('m', { model: 'BPE' }), /expected the tokenizer\.json of a fast tokenizer/],
    [
      'an unknown part',
      () => textModel('m', wordPiece({ pre_tokenizer: { type: 'Telepathy' } })),
      /this tokenizer is not supported: .*Telepathy.*a module of your own/,
    ],
    [
      'no room',
      () => textModel('m', wordPiece(), { maxLength: 2 }),
      /maxLength is 2, and the special tokens alone are 2/,
    ],
    [
      'more than the model takes',
      () => textModel('m', wordPiece(), { maxLength: 13 }, 'echo-text-of-twelve'),
      /maxLength is 13, and the model takes 12 tokens/,
    ],
    [
      'texts that the model takes itself',
      () => textModel('m', wordPiece(), {}, 'echo-types'),
      /no input input_ids; use adapter: tensor, which gives it texts as they are/,
    ],
    [
      'nothing to pad with',
      () =>
        textModel(
          'm',
          wordPiece({
            added_tokens: [],
            model: { ...wordPiece().model, vocab: { '[UNK]': 0, '[CLS]': 1, '[SEP]': 2 } },
          }),
          { padding: 'maxLength' },
        ),
      /its inputs are padded, and its tokenizer names no token for that/,
    ],
    [
      'a crooked multiple',
      () => textModel('m', wordPiece(), { maxLength: 10, padToMultipleOf: 4 }),
      /10 tokens, is no multiple/,
    ],
  ])('%s', async (_, model, message) => {
    await expect(create(model())).rejects.toThrow(message)
  })

  test('unknown options, when the config is read', () => {
    const model = { name: 'm', path: 'm.onnx', adapter: 'text', text: { padding: 'longest' } }
    expect(() => testConfig({ models: [model] })).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ path: 'candidateServer.models[0].text.padding' })],
      }),
    )
  })
})
