import type { Tokenizer } from '@huggingface/tokenizers'
import { badInput } from '../../errors.ts'
import type { TokenizerFile } from './tokenizer-file.ts'

/** Each array has one number per token. */
export interface Encoding {
  ids: number[]
  /** 1 for tokens of the text and special tokens, 0 for padding. */
  mask: number[]
  typeIds: number[]
}

interface EncodeOptions {
  /** Token limit, special tokens included. */
  maxLength: number
  truncate: boolean
  charactersMax: number
  /** The padded length for a given number of tokens. */
  paddedLength: (tokens: number) => number
}

type Encode = (text: string, pair: string | undefined) => Encoding

/** Positions of the texts among the special tokens. */
type Slot = { kind: 'text' | 'pair'; typeId: number } | { kind: 'special'; id: number; typeId: number }

/**
 * Adds special tokens, then truncates and pads, as Hugging Face's `tokenizers` does: only the texts are truncated,
 * never the special tokens. Throws if `maxLength` leaves no room for a text; `Encode` throws a 400.
 */
export function createEncoder(model: string, file: TokenizerFile, options: EncodeOptions): Encode {
  const single = templateOf(file, false)
  const paired = templateOf(file, true)
  const roomFor = (template: Slot[]) => options.maxLength - template.filter(({ kind }) => kind === 'special').length
  if (roomFor(single) < 1) {
    throw new Error(
      `model ${model}: text.maxLength is ${options.maxLength}, and the special tokens alone are ${options.maxLength - roomFor(single)}`,
    )
  }
  return (text, pair) => {
    const template = pair === undefined ? single : paired
    const texts = [text, ...(pair === undefined ? [] : [pair])].map((one) => idsOf(one, file.tokenizer, options))
    const [first = [], second = []] = cut(texts, roomFor(template), file.truncation, options)
    const ids: number[] = []
    const typeIds: number[] = []
    for (const slot of template) {
      const part = slot.kind === 'special' ? [slot.id] : slot.kind === 'text' ? first : second
      for (const id of part) {
        ids.push(id)
        typeIds.push(slot.typeId)
      }
    }
    if (ids.length === 0) throw badInput('text: expected at least one token, got an empty text')
    return pad(ids, typeIds, file.padding, options)
  }
}

/** Derives the template from the post-processor's output for two tokens that no tokenizer knows. */
function templateOf({ tokenizer, postProcessor }: TokenizerFile, paired: boolean): Slot[] {
  const [text, pair] = ['\0text', '\0pair']
  const processed = tokenizer.post_processor?.post_process([text], paired ? [pair] : null, true) ?? {
    tokens: [text],
    tokens_pair: [pair],
  }
  const tokens = [...processed.tokens, ...(paired ? (processed.tokens_pair ?? []) : [])]
  // the library's RoBERTa gives the second text type 1, the reference gives it type 0
  const types = postProcessor === 'RobertaProcessing' ? tokens.map(() => 0) : processed.token_type_ids
  return tokens.map((token, i): Slot => {
    const typeId = types?.[i] ?? Number(token === pair)
    if (token === text) return { kind: 'text', typeId }
    if (token === pair) return { kind: 'pair', typeId }
    const id = tokenizer.token_to_id(token)
    if (id === undefined) throw new Error(`the tokenizer's post_processor adds ${token}, which its vocabulary has not`)
    return { kind: 'special', id, typeId }
  })
}

function idsOf(text: string, tokenizer: Tokenizer, { charactersMax }: EncodeOptions): number[] {
  if (text.length > charactersMax) {
    throw badInput(`text: expected at most text.charactersMax, ${charactersMax} characters, got ${text.length}`)
  }
  const { ids, tokens } = tokenizer.encode(text, { add_special_tokens: false })
  const unknown = ids.findIndex((id: unknown) => typeof id !== 'number')
  if (unknown >= 0) {
    throw badInput(
      `text: the tokenizer does not know ${JSON.stringify(tokens[unknown])}, and has no token for what it does not know`,
    )
  }
  return ids
}

function cut(
  texts: number[][],
  room: number,
  { strategy, side }: TokenizerFile['truncation'],
  { truncate, maxLength }: EncodeOptions,
): number[][] {
  const total = texts.reduce((sum, { length }) => sum + length, 0)
  if (total <= room) return texts
  const tooLong = `text: expected at most ${maxLength} tokens with the special ones, got ${total + maxLength - room}`
  if (!truncate) throw badInput(tooLong)
  const lengths = texts.map(({ length }) => length)
  const kept = keptLengths(lengths, Math.max(0, room), strategy)
  if (!kept) throw badInput(`${tooLong}, of which ${strategy} may not cut so many`)
  return texts.map((ids, i) => (side === 'left' ? ids.slice(ids.length - kept[i]!) : ids.slice(0, kept[i])))
}

/** How much of each text to keep if together they are too long; `undefined` if the strategy leaves nothing of one. */
function keptLengths(
  [first = 0, second]: number[],
  room: number,
  strategy: TokenizerFile['truncation']['strategy'],
): number[] | undefined {
  if (second === undefined) return [room]
  if (strategy === 'OnlyFirst') return room > second ? [room - second, second] : undefined
  if (strategy === 'OnlySecond') return room > first ? [first, room - first] : undefined
  // the longer one is cut until both are equally long
  const short = Math.min(first, second)
  const [less, more] = short * 2 > room ? [Math.floor(room / 2), Math.ceil(room / 2)] : [short, room - short]
  return first <= second ? [less, more] : [more, less]
}

function pad(ids: number[], typeIds: number[], padding: TokenizerFile['padding'], options: EncodeOptions): Encoding {
  const missing = options.paddedLength(ids.length) - ids.length
  const mask = ids.map(() => 1)
  if (missing <= 0) return { ids, mask, typeIds }
  const around = (values: number[], value: number) => {
    const filling = new Array<number>(missing).fill(value)
    return padding.side === 'left' ? [...filling, ...values] : [...values, ...filling]
  }
  return { ids: around(ids, padding.id!), mask: around(mask, 0), typeIds: around(typeIds, padding.typeId) }
}
