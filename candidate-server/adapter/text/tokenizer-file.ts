import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { matchAddedTokens } from './added-tokens.ts'
import { applyCharsmaps, matchModel, matchReference } from './reference-tokenizer.ts'

type Side = 'left' | 'right'

/** A tokenizer's files: how a text is split into tokens, and what is done with them. */
export interface TokenizerFile {
  tokenizer: Tokenizer
  /** Name of the post-processor (`RobertaProcessing`, say), if it is a single one. */
  postProcessor: string | undefined
  truncation: { maxLength: number | undefined; side: Side; strategy: 'LongestFirst' | 'OnlyFirst' | 'OnlySecond' }
  padding: {
    length: number | undefined
    multipleOf: number | undefined
    side: Side
    id: number | undefined
    typeId: number
  }
}

type Json = Record<string, unknown>

/** A tokenizer_config.json expresses "no limit" as a very large number. */
const lengthMax = 1_000_000

/** Reads `tokenizer.json` and, if present, `tokenizer_config.json` beside it. Throws an error that says what to do. */
export function readTokenizer(model: string, path: string): TokenizerFile {
  const file = readJson(path)
  if (file === undefined) {
    throw new Error(
      `model ${model}: there is no tokenizer at ${path}; put tokenizer.json beside the model, or name it in text.tokenizer`,
    )
  }
  const config = readJson(join(dirname(path), 'tokenizer_config.json')) ?? {}
  const tokenizer = createTokenizer(path, file, config)
  return {
    tokenizer,
    postProcessor: (file.post_processor as { type?: string } | null | undefined)?.type,
    truncation: truncationOf(file, config),
    padding: paddingOf(tokenizer, file, config),
  }
}

function readJson(path: string): Json | undefined {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${(error as Error).message}`)
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new Error(`${path}: expected an object`)
  }
  return value as Json
}

function createTokenizer(path: string, file: Json, config: Json): Tokenizer {
  if (file.model === null || typeof file.model !== 'object') {
    throw new Error(`${path}: expected the tokenizer.json of a fast tokenizer, with its model`)
  }
  const parts = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null }
  const { type, unk_token = config.unk_token } = file.model as Json
  try {
    const tokenizer = new Tokenizer(matchReference({ ...parts, ...file }), {
      ...config,
      // the library looks for a WordLevel model's unknown token only here
      ...(type === 'WordLevel' ? { unk_token } : {}),
      // the library changes texts as these say, and the reference only as tokenizer.json does
      remove_space: false,
      do_lowercase_and_remove_accent: false,
    })
    applyCharsmaps(tokenizer.normalizer)
    matchModel(tokenizer)
    matchAddedTokens(tokenizer)
    return tokenizer
  } catch (error) {
    throw new Error(
      `${path}: this tokenizer is not supported: ${(error as Error).message}; tokenize in a module of your own (adapter: ./my-adapter.ts)`,
    )
  }
}

function truncationOf(file: Json, config: Json): TokenizerFile['truncation'] {
  const { max_length, direction, strategy } = (file.truncation ?? {}) as Json
  const limit = max_length ?? config.model_max_length
  return {
    maxLength: typeof limit === 'number' && limit <= lengthMax ? limit : undefined,
    side: sideOf(direction ?? config.truncation_side),
    strategy: strategy === 'OnlyFirst' || strategy === 'OnlySecond' ? strategy : 'LongestFirst',
  }
}

function paddingOf(tokenizer: Tokenizer, file: Json, config: Json): TokenizerFile['padding'] {
  const { strategy, direction, pad_to_multiple_of, pad_id, pad_type_id } = (file.padding ?? {}) as Json
  const { pad_token } = config
  const token = typeof pad_token === 'string' ? pad_token : (pad_token as { content?: string } | undefined)?.content
  const known = [token, '[PAD]', '<pad>'].map((one) => (one === undefined ? undefined : tokenizer.token_to_id(one)))
  return {
    length: (strategy as { Fixed?: number } | undefined)?.Fixed,
    multipleOf: (pad_to_multiple_of as number | null | undefined) ?? undefined,
    side: sideOf(direction ?? config.padding_side),
    id: (pad_id as number | undefined) ?? known.find((id) => id !== undefined),
    typeId: (pad_type_id as number | undefined) ?? 0,
  }
}

const sideOf = (side: unknown): Side => (String(side).toLowerCase() === 'left' ? 'left' : 'right')
