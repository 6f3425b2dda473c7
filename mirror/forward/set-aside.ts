import type { Bytes } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../exchange/byte-budget.ts'
import { type Field, type Fields, field, fieldValue } from '../http1/fields.ts'
import { Replay } from './replay.ts'

const bytesMax: Bytes = 64 * 1024

/** Of an answer that is there as a whole; its fields frame the body. */
export interface WholeAnswer {
  status: number
  reason: string
  fields: Field[]
  body: Buffer
}

/** A candidate's word that it has no answer: for the client, should nobody else have one. */
export class SetAside {
  readonly #isHead: boolean
  readonly #head: { status: number; reason: string; fields: Fields }
  readonly #body: Replay
  #isWhole = false

  /** `method`: the request's. */
  constructor(method: string, head: { status: number; reason: string; fields: Fields }, budget: ByteBudget) {
    this.#isHead = method === 'HEAD'
    this.#head = head
    this.#body = new Replay(budget, bytesMax)
    const coding = fieldValue(head.fields, 'transfer-encoding')
    // what lies beneath the chunks only its own coding frames
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') this.drop()
  }

  /** Undefined where it was broken off, or is too large to be kept. */
  get answer(): WholeAnswer | undefined {
    const { pieces } = this.#body
    if (!this.#isWhole || !pieces) return undefined
    const { status, reason, fields } = this.#head
    const body = Buffer.concat(pieces)
    // its fields speak of a body that does not come
    if (this.#isHead) return { status, reason, fields: [...fields], body }
    const unframed = fields.filter(({ name }) => !framing.has(name))
    return { status, reason, fields: [...unframed, field('Content-Length', String(body.length))], body }
  }

  add(data: Buffer): void {
    // the stream may overwrite it
    this.#body.keep(Buffer.from(data))
  }

  ended(isWhole: boolean): void {
    this.#isWhole = isWhole
  }

  drop(): void {
    this.#body.drop()
  }
}

const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'trailer'])
