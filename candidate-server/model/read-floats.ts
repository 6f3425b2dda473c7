import { dimensionsMax } from './nested-array.ts'

export interface Floats {
  shape: number[]
  /** Row-major. */
  data: Float32Array<ArrayBuffer>
}

const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d]
const [open, close, comma, minus, plus, point, zero] = [0x5b, 0x5d, 0x2c, 0x2d, 0x2b, 0x2e, 0x30]
const lowerCase = 0x20
const e = 0x65

/**
 * Whole numbers up to 2^53 and powers of ten up to 10^22 are doubles, so that one operation on them is rounded once
 * (Clinger, 1990). Higher powers are the nearest doubles.
 */
const powersOfTen = Float64Array.from({ length: 61 }, (_, exponent) => Number(`1e${exponent}`))
const exactPowerMax = 22
/** Digits beyond 2^53 are rounded as they are read; up to here by less than `tolerance` together. */
const digitsMax = 1e22
/** Of a double that was rounded ten times: relative. */
const tolerance = 2e-15
/** Half a step beyond the largest float32: from here on they are infinite. */
const overflow = (2 - 2 ** -24) * 2 ** 127

/**
 * The numbers of a JSON array, nested as it may be, as `JSON.parse` and `Math.fround` would give them, in half the
 * time: no text is made of the bytes, no array of the text. `undefined` where it is anything else than a regular array
 * of up to `countMax` numbers within float32, and `JSON.parse` is to say what.
 */
export function readFloats(bytes: Uint8Array, countMax: number): Floats | undefined {
  const read = readFloatsAt(bytes, 0, countMax)
  return read && isSpaceFrom(bytes, read.end) ? read.floats : undefined
}

/** Likewise the array that begins at `from`, and where it ends, whatever follows it there. */
export function readFloatsAt(
  bytes: Uint8Array,
  from: number,
  countMax: number,
): { floats: Floats; end: number } | undefined {
  return new FloatReader(bytes, from, countMax).read()
}

class FloatReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #data: Float32Array<ArrayBuffer>
  readonly #shape: number[] = []
  #at: number
  #count = 0
  /** Where its first number stands, and so all of them. */
  #depth: number | undefined

  constructor(bytes: Uint8Array, from: number, countMax: number) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    // a number and what parts it from the next are two bytes at the least
    this.#data = unsetFloats(Math.min(countMax, Math.floor((bytes.length - from) / 2)))
    this.#at = from
  }

  read(): { floats: Floats; end: number } | undefined {
    this.#skipSpace()
    if (!this.#array(0)) return undefined
    const data = this.#count === this.#data.length ? this.#data : this.#data.slice(0, this.#count)
    return { floats: { shape: this.#shape, data }, end: this.#at }
  }

  #array(depth: number): boolean {
    if (depth === dimensionsMax || this.#bytes[this.#at] !== open) return false
    this.#at++
    this.#skipSpace()
    const size = this.#bytes[this.#at] === open ? this.#arrays(depth + 1) : this.#numbers(depth)
    this.#shape[depth] ??= size
    return size > 0 && this.#shape[depth] === size
  }

  /** Up to the end of the array that they are in; how many, 0 where they are no such. */
  #arrays(depth: number): number {
    for (let size = 1; this.#array(depth); size++) {
      this.#skipSpace()
      const byte = this.#bytes[this.#at++]
      if (byte === close) return size
      if (byte !== comma) return 0
      this.#skipSpace()
    }
    return 0
  }

  /** Likewise. */
  #numbers(depth: number): number {
    this.#depth ??= depth
    if (depth !== this.#depth) return 0
    const bytes = this.#bytes
    const view = this.#view
    const lastFour = bytes.length - 4
    const data = this.#data
    const first = this.#count
    let count = first
    let at = this.#at
    for (;;) {
      let byte = bytes[at]!
      const isNegative = byte === minus
      if (isNegative) byte = bytes[++at]!
      const whole = at
      let digits = 0
      for (; isDigit(byte); byte = bytes[++at]!) digits = digits * 10 + (byte - zero)
      if (at === whole || (bytes[whole] === zero && at > whole + 1)) return 0
      let exponent = 0
      if (byte === point) {
        const fraction = ++at
        for (; at <= lastFour; at += 4) {
          const four = view.getInt32(at, true) ^ fourZeros
          if (!areDigits(four)) break
          digits = digits * 10_000 + numberOf(four)
        }
        byte = bytes[at]!
        for (; isDigit(byte); byte = bytes[++at]!) digits = digits * 10 + (byte - zero)
        if (at === fraction) return 0
        exponent = fraction - at
      }
      if ((byte | lowerCase) === e) {
        byte = bytes[++at]!
        const isSmall = byte === minus
        if (isSmall || byte === plus) byte = bytes[++at]!
        const power = at
        let written = 0
        for (; isDigit(byte); byte = bytes[++at]!) written = written * 10 + (byte - zero)
        if (at === power) return 0
        exponent += isSmall ? -written : written
      }
      const size = exponent < 0 ? -exponent : exponent
      let value: number
      if (digits <= Number.MAX_SAFE_INTEGER && size <= exactPowerMax) {
        const power = powersOfTen[size]!
        value = exponent < 0 ? digits / power : digits * power
      } else value = nearDouble(digits, exponent) ?? Number(textOf(bytes, whole, at))
      if (value >= overflow || count === data.length) return 0
      data[count++] = isNegative ? -value : value
      while (isSpace(byte)) byte = bytes[++at]!
      at++
      if (byte === close) break
      if (byte !== comma) return 0
      while (isSpace(bytes[at]!)) at++
    }
    this.#at = at
    this.#count = count
    return count - first
  }

  #skipSpace(): void {
    while (this.#at < this.#bytes.length && isSpace(this.#bytes[this.#at]!)) this.#at++
  }
}

/** All that is read is written first, so it need not be zeros; and a few take their memory from Node's pool. */
function unsetFloats(count: number): Float32Array<ArrayBuffer> {
  const { buffer, byteOffset } = Buffer.allocUnsafe(count * Float32Array.BYTES_PER_ELEMENT)
  return new Float32Array(buffer, byteOffset, count)
}

/** Fractions are long: their digits are read four at a time, the first in the lowest byte. */
const fourZeros = 0x30303030
/** Whether each byte is 0 to 9; one above 9 comes to 128 or was there, and carries only into those behind it. */
const areDigits = (four: number) => (((four + 0x76767676) | four) & 0x80808080) === 0
/** First two pairs of digits, then the pairs: a factor adds what it shifts to what it does not. */
const numberOf = (four: number) => Math.imul((Math.imul(four, 2561) >>> 8) & 0x00ff00ff, 6_553_601) >>> 16

function isSpaceFrom(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length; at++) if (!isSpace(bytes[at]!)) return false
  return true
}

const isDigit = (byte: number) => byte >= zero && byte <= zero + 9
const isSpace = (byte: number) =>
  byte <= space && (byte === space || byte === lineFeed || byte === carriageReturn || byte === tab)

/** `digits` × 10^`exponent`, where all doubles that it may be become one float32. */
function nearDouble(digits: number, exponent: number): number | undefined {
  const power = powersOfTen[Math.abs(exponent)]
  if (power === undefined || digits > digitsMax) return undefined
  const value = exponent < 0 ? digits / power : digits * power
  return Math.fround(value * (1 - tolerance)) === Math.fround(value * (1 + tolerance)) ? value : undefined
}

const textOf = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1')
