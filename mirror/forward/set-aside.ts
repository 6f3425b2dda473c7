import type { Bytes } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import { type Field, type Fields, field, fieldValue } from '../http1/fields.ts'
import { Replay } from './replay.ts'

const bytesMax: Bytes = 64 * 1024

/** A complete answer; its fields frame the body. */
export interface WholeAnswer {
  status: number
  reason: string
  fields: Field[]
  body: Buffer
}

/** A candidate's answer that says it has none (502, 503, 504). The client gets it if no other upstream answers. */
export class SetAside {
  readonly #isHead: boolean
  readonly #head: { status: number; reason: string; fields: Fields }
  readonly #body: Replay
  #isWhole = false

  /** `method`: that of the request. */
  constructor(method: string, head: { status: number; reason: string; fields: Fields }, budget: ByteBudget) {
    this.#isHead = method === 'HEAD'
    this.#head = head
    this.#body = new Replay(budget, bytesMax)
    const coding = fieldValue(head.fields, 'transfer-encoding')
    // a body in another transfer coding could not be framed by a length
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') this.drop()
  }

  /** Undefined if it was broken off or is too large to keep. */
  get answer(): WholeAnswer | undefined {
    const { pieces } = this.#body
    if (!this.#isWhole || !pieces) return undefined
    const { status, reason, fields } = this.#head
    const body = Buffer.concat(pieces)
    // its fields describe a body that is never sent, so they stay
    if (this.#isHead) return { status, reason, fields: [...fields], body }
    const unframed = fields.filter(({ name }) => !framing.has(name))
    return { status, reason, fields: [...unframed, field('Content-Length', String(body.length))], body }
  }

  add(data: Buffer): void {
    // the stream may reuse its buffer
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
