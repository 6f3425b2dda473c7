/**
 * Speaks OpenAI's embeddings API, as many app servers do:
 *
 *     POST /v1/embeddings {"model": "minilm", "input": "a text", or ["several", "texts"]}
 *     {"object": "list", "model": "minilm", "data": [{"object": "embedding", "index": 0, "embedding": […]}, …], "usage": …}
 *
 * With `"encoding_format": "base64"`, the default of the `openai` client, an embedding is the base64 of its
 * little-endian float32 values. The model takes `input_ids` and the like, and has one output of [rows, size]: export it
 * with its pooling. Put its tokenizer.json beside this file. Whatever that file says, texts are cut at `maxLength` and
 * padded on the right to the longest in their request.
 */
import { fileURLToPath } from 'node:url'
import type { AdapterModule, AdapterRequest } from '../../../candidate-server/adapter/adapter.ts'
import { createEncoder } from '../../../candidate-server/adapter/text/encode-text.ts'
import { readTokenizer } from '../../../candidate-server/adapter/text/tokenizer-file.ts'

/** Tokens of a text, including special ones: `max_seq_length` in sentence_bert_config.json. */
const maxLength = 256
const charactersMax = 100_000
const textsMax = 64

/** What exported encoders call their inputs, and where each comes from. */
const parts = { input_ids: 'ids', attention_mask: 'mask', token_type_ids: 'typeIds' } as const

// read when the module is loaded: without it the server does not start
const tokenizer = readTokenizer('embeddings', fileURLToPath(new URL('./tokenizer.json', import.meta.url)))
const paddedLength = (tokens: number) => tokens
const encode = createEncoder('embeddings', tokenizer, { maxLength, truncate: true, charactersMax, paddedLength })

/** What the answer needs to know about its request. */
const asked = new WeakMap<AdapterRequest, { tokens: number; isBase64: boolean }>()

/** One row per text, padded with 0 to the longest: masked positions may hold any token. */
export const toTensors: AdapterModule['toTensors'] = (request, model) => {
  const { input, encoding_format = 'float' } = fieldsOf(request)
  if (encoding_format !== 'float' && encoding_format !== 'base64') {
    throw refusal('encoding_format must be float or base64', 'encoding_format')
  }
  const rows = textsOf(input).map((text) => asClients('input', () => encode(text, undefined)))
  const tokens = Math.max(...rows.map(({ ids }) => ids.length))
  const total = rows.reduce((sum, { ids }) => sum + ids.length, 0)
  asked.set(request, { tokens: total, isBase64: encoding_format === 'base64' })
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
  const { tokens, isBase64 } = asked.get(request)!
  return {
    object: 'list',
    model: model.name,
    data: Array.from({ length: rows }, (_, index) => {
      const vector = Array.from(data.slice(index * size, (index + 1) * size), Number)
      return { object: 'embedding', index, embedding: isBase64 ? base64Of(vector) : vector }
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

function base64Of(vector: number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes.toString('base64')
}

const fieldsOf = (request: AdapterRequest) =>
  (asClients(null, () => request.json()) ?? {}) as { input?: unknown; encoding_format?: unknown }

function textsOf(input: unknown): string[] {
  const texts = Array.isArray(input) ? input : [input]
  if (!texts.every((text) => typeof text === 'string')) throw refusal('input must be a text or a list of texts')
  if (texts.length === 0 || texts.length > textsMax) throw refusal(`input must be 1 to ${textsMax} texts`)
  return texts
}

/** `status` makes it the client's error, and `body` is the whole answer on the model's own paths. */
const refusal = (message: string, param: string | null = 'input') =>
  Object.assign(new Error(message), {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param, code: null } },
  })

/** Turns refusals of the server's own functions into OpenAI's error format. */
function asClients<Result>(param: string | null, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    const { status, message } = error as { status?: number; message: string }
    throw status === 400 ? refusal(message, param) : error
  }
}
