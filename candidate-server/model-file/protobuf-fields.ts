import { readSync } from 'node:fs'

const windowBytes = 64 * 1024
const pieceBytes = 1024 * 1024

/** Random access to bytes. */
interface ByteSource {
  byte(at: number): number
}

/** Random access to a file, with only a small window of it in memory. */
export class FileWindow implements ByteSource {
  readonly size: number
  readonly #fd: number
  readonly #buffer = Buffer.allocUnsafe(windowBytes)
  #from = 0
  #to = 0

  constructor(fd: number, size: number) {
    this.#fd = fd
    this.size = size
  }

  byte(at: number): number {
    if (at < this.#from || at >= this.#to) {
      this.#from = at
      this.#to = at + readSync(this.#fd, this.#buffer, 0, windowBytes, at)
      if (this.#to === at) throw new RangeError('the file ends within a message')
    }
    return this.#buffer[at - this.#from]!
  }

  text(from: number, to: number): string {
    return Buffer.concat([...this.pieces(from, to)]).toString('utf8')
  }

  /** The contents of a range, in pieces of up to 1 MiB. */
  *pieces(from: number, to: number): Generator<Buffer> {
    for (let at = from; at < to; ) {
      const piece = Buffer.allocUnsafe(Math.min(to - at, pieceBytes))
      const read = readSync(this.#fd, piece, 0, piece.length, at)
      if (read === 0) throw new RangeError('the file ends within a message')
      yield piece.subarray(0, read)
      at += read
    }
  }
}

/** One field of a protobuf message: `value` for a varint, the byte range for anything else. */
export interface Field {
  number: number
  /** Position of its tag. */
  at: number
  value: number
  from: number
  to: number
}

const longestVarint = 10

/** The fields of the message in a range. Throws a `RangeError` if it is not a message. */
export function* fieldsOf(window: ByteSource, from: number, to: number): Generator<Field> {
  let at = from
  const varint = () => {
    let value = 0
    for (let i = 0; i < longestVarint; i++) {
      const byte = window.byte(at++)
      value += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) return value
    }
    throw new RangeError('a varint does not end')
  }
  while (at < to) {
    const tagAt = at
    const tag = varint()
    const field = { number: Math.floor(tag / 8), at: tagAt, value: 0, from: at, to: at }
    const wire = tag % 8
    if (wire === 0) field.value = varint()
    else if (wire === 1) at += 8
    else if (wire === 5) at += 4
    else if (wire === 2) {
      const length = varint()
      field.from = at
      at += length
    } else throw new RangeError(`wire type ${wire} is not of this format`)
    if (at > to) throw new RangeError('a field is longer than its message, as where a file was cut short')
    field.to = at
    yield field
  }
}

/** Concatenates fields into a protobuf message. */
export const message = (fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields)

/** `value`: a non-negative integer. */
export const intField = (number: number, value: number): Uint8Array => message([varint(number * 8), varint(value)])

export const bytesField = (number: number, bytes: Uint8Array): Uint8Array =>
  message([varint(number * 8 + 2), varint(bytes.length), bytes])

export const textField = (number: number, text: string): Uint8Array => bytesField(number, Buffer.from(text))

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80)
  return Uint8Array.from([...bytes, left])
}
