import type { TextOptions } from '../../config/adapter-options.ts'
import { badInput } from '../../errors.ts'
import { firstCharacter, parseJson } from '../../protocol/json-body.ts'
import { formatShape } from '../../tensor/model-info.ts'
import { elementTypes, type Tensor } from '../../tensor/tensor.ts'
import { type AdapterModel, hasBatchDimension } from '../adapter.ts'
import { onlyPart, type Part } from '../multipart.ts'
import type { WorkerAdapter } from '../worker-adapter.ts'
import { createEncoder, type Encoding } from './encode-text.ts'
import { readTokenizer, type TokenizerFile } from './tokenizer-file.ts'

export interface TextSetup {
  options: TextOptions
  /** Path of tokenizer.json. */
  tokenizerPath: string
}

/** The input names that exported encoders use. */
const parts = { input_ids: 'ids', attention_mask: 'mask', token_type_ids: 'typeIds' } as const
const names = Object.keys(parts) as (keyof typeof parts)[]

const defaultMaxLength = 512
const defaultCharactersMax = 100_000

/**
 * Encodes a text, or a pair of texts, as `input_ids`, `attention_mask` and `token_type_ids`, whichever the model takes.
 * Throws if the model takes other inputs or its tokenizer is missing.
 */
export function createTextAdapter(model: AdapterModel, { options, tokenizerPath }: TextSetup): WorkerAdapter {
  const length = checkInputs(model)
  const file = readTokenizer(model.name, tokenizerPath)
  const encode = createEncoder(model.name, file, {
    ...lengths(model.name, length, file, options),
    truncate: options.truncate ?? true,
    charactersMax: options.charactersMax ?? defaultCharactersMax,
  })
  return {
    toTensors: async (request) => {
      const { text, pair } = textsOf(await onlyPart(request))
      const encoding = encode(text, pair)
      return Object.fromEntries(
        model.inputs.map(({ name, type }) => [
          name,
          tensorOf(encoding[parts[name as keyof typeof parts]], type as IdType),
        ]),
      )
    },
  }
}

/** The length at which the model's inputs are fixed; `undefined` if any length is accepted. */
function checkInputs(model: AdapterModel): number | undefined {
  const remedy = model.inputs.some(({ type }) => type === 'string')
    ? 'use adapter: tensor, which gives it texts as they are'
    : 'tokenize in a module of your own (adapter: ./my-adapter.ts)'
  const problem = (why: string) =>
    new Error(
      `model ${model.name}: adapter text gives ${names.join(', ')} of int64 or int32 and the shape [rows, tokens], and ${why}; ${remedy}`,
    )
  if (!model.inputs.some(({ name }) => name === 'input_ids')) throw problem('the model has no input input_ids')
  for (const { name, type, shape } of model.inputs) {
    if (!Object.hasOwn(parts, name)) throw problem(`the model also takes ${name}`)
    if (type !== 'int64' && type !== 'int32') throw problem(`${name} is ${type}`)
    if (shape.length !== 2 || !hasBatchDimension(shape, model)) {
      throw problem(`${name} has the shape ${formatShape(shape)}`)
    }
  }
  return model.inputs.map(({ shape }) => shape[1]!).find((size) => size !== -1)
}

/** The maximum length of an input, and the length it is padded to. */
function lengths(
  model: string,
  fixed: number | undefined,
  { truncation, padding }: TokenizerFile,
  options: TextOptions,
) {
  if (fixed !== undefined && (options.maxLength ?? fixed) > fixed) {
    throw new Error(`model ${model}: text.maxLength is ${options.maxLength}, and the model takes ${fixed} tokens`)
  }
  const maxLength = options.maxLength ?? fixed ?? truncation.maxLength ?? defaultMaxLength
  const least =
    fixed ?? (options.padding === 'maxLength' ? maxLength : options.padding === 'none' ? 0 : (padding.length ?? 0))
  const multipleOf = options.padToMultipleOf ?? (options.padding === 'none' ? 1 : (padding.multipleOf ?? 1))
  if ((least > 0 || multipleOf > 1) && padding.id === undefined) {
    throw new Error(
      `model ${model}: its inputs are padded, and its tokenizer names no token for that; give tokenizer.json a padding section, or tokenizer_config.json a pad_token`,
    )
  }
  if (options.padToMultipleOf && maxLength % options.padToMultipleOf !== 0) {
    throw new Error(
      `model ${model}: text.padToMultipleOf is ${options.padToMultipleOf}, of which the longest input, ${maxLength} tokens, is no multiple; set text.maxLength`,
    )
  }
  // the reference pads to the multiple of a Fixed length, and leaves longer texts as they are
  const target = Math.ceil(least / multipleOf) * multipleOf
  const leavesLonger = padding.length !== undefined && !options.padding && !options.padToMultipleOf
  const paddedLength = (tokens: number) =>
    fixed ?? (leavesLonger ? Math.max(target, tokens) : Math.ceil(Math.max(least, tokens) / multipleOf) * multipleOf)
  return { maxLength, paddedLength }
}

/** Accepts `"text"`, `{"text": …}` with `"textPair"` for pairs, or the bare text. Throws a 400. */
function textsOf(request: Part): { text: string; pair: string | undefined } {
  const value = isJson(request) ? parseJson(request.body) : bareText(request.body)
  if (typeof value === 'string') return { text: checkText(value), pair: undefined }
  const { text, textPair, ...others } = (value !== null && typeof value === 'object' ? value : {}) as Record<
    string,
    unknown
  >
  const [unknown] = Array.isArray(value) ? [] : Object.keys(others)
  if (typeof text !== 'string' || (textPair !== undefined && typeof textPair !== 'string') || unknown !== undefined) {
    const got = Array.isArray(value)
      ? '; send one text at a time'
      : unknown === undefined
        ? ''
        : `; there is no ${unknown}`
    throw badInput(`expected a string, or {"text": string, "textPair": string where two belong together}${got}`)
  }
  return { text: checkText(text), pair: textPair === undefined ? undefined : checkText(textPair) }
}

/** A body without a declared type is JSON if it begins like JSON. */
function isJson({ headers, body }: Part): boolean {
  const contentType = String(headers['content-type'] ?? '').toLowerCase()
  if (contentType.includes('json')) return true
  return !contentType.startsWith('text/') && ['{', '[', '"'].includes(firstCharacter(body))
}

function bareText(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw badInput('expected a text in UTF-8')
  }
}

function checkText(text: string): string {
  if (!text.isWellFormed()) throw badInput('text: expected whole characters, got half a surrogate pair')
  return text
}

type IdType = 'int64' | 'int32'

function tensorOf(values: Encoding['ids'], type: IdType): Tensor {
  const data = type === 'int64' ? BigInt64Array.from(values, BigInt) : elementTypes[type].array.from(values)
  return { type, shape: [1, values.length], data }
}
