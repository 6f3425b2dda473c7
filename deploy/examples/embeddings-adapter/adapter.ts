/**
 * Speaks OpenAI's API of embeddings, which many app servers have too:
 *
 *     POST /v1/embeddings {"model": "minilm", "input": "a text", or ["several", "texts"]}
 *     {"object": "list", "model": "minilm", "data": [{"object": "embedding", "index": 0, "embedding": […]}, …], "usage": …}
 *
 * The model takes `input_ids` and the like, and has one output of [rows, size]: export it with its pooling. Its
 * tokenizer.json lies beside it. Texts are cut and padded as sentence-transformers does, whatever that file says.
 */
import { dirname, join } from 'node:path'
import type { AdapterModule, AdapterRequest } from '../../../candidate-server/adapter/adapter.ts'
import { createEncoder, type Encoding } from '../../../candidate-server/adapter/encode-text.ts'
import { readTokenizer } from '../../../candidate-server/adapter/tokenizer-file.ts'

/** Tokens of a text, its special ones included: `max_seq_length` of sentence_bert_config.json. */
const maxLength = 256
const charactersMax = 100_000
const textsMax = 64

/** The names that exported encoders have for them. */
const parts = { input_ids: 'ids', attention_mask: 'mask', token_type_ids: 'typeIds' } as const

const tokensOf = new WeakMap<AdapterRequest, number>()
let encode: ((text: string) => Encoding) | undefined

/** A row for each text, as long as the longest. */
export const toTensors: AdapterModule['toTensors'] = (request, model) => {
  const texts = textsIn(request)
  encode ??= encoderOf(model.name, join(dirname(model.path), 'tokenizer.json'))
  const rows = texts.map(encode)
  const tokens = Math.max(...rows.map(({ ids }) => ids.length))
  tokensOf.set(
    request,
    rows.reduce((sum, { ids }) => sum + ids.length, 0),
  )
  const padded = (values: number[]) => [...values, ...new Array<number>(tokens - values.length).fill(0)]
  return Object.fromEntries(
    model.inputs.map(({ name }) => {
      const part = parts[name as keyof typeof parts]
      return [name, { shape: [rows.length, tokens], data: rows.flatMap((row) => padded(row[part])) }]
    }),
  )
}

export const toResponse: AdapterModule['toResponse'] = (outputs, model, request) => {
  const { shape, data } = outputs[model.outputs[0]!.name]!
  const [rows, size] = shape as [number, number]
  const tokens = tokensOf.get(request)
  return {
    object: 'list',
    model: model.name,
    data: Array.from({ length: rows }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: Array.from(data.slice(index * size, (index + 1) * size), Number),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

/** What is masked may be any token, so rows are filled up with 0. */
function encoderOf(model: string, tokenizerPath: string) {
  const paddedLength = (tokens: number) => tokens
  const options = { maxLength, truncate: true, charactersMax, paddedLength }
  const encoder = createEncoder(model, readTokenizer(model, tokenizerPath), options)
  return (text: string) => encoder(text, undefined)
}

function textsIn(request: AdapterRequest): string[] {
  const { input } = (request.json() ?? {}) as { input?: unknown }
  const texts = Array.isArray(input) ? input : [input]
  if (!texts.every((text) => typeof text === 'string')) throw refusal('input must be a text or a list of texts')
  if (texts.length === 0 || texts.length > textsMax) throw refusal(`input must be 1 to ${textsMax} texts`)
  return texts
}

/** `status` makes it the client's error, and `body` is the whole answer on the model's own paths. */
const refusal = (message: string) =>
  Object.assign(new Error(message), {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: 'input', code: null } },
  })
