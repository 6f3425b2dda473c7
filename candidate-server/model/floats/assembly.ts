// biome-ignore-all lint/correctness/noPrecisionLoss: these integers have 64 bits

/**
 * AssemblyScript, which reads like TypeScript and becomes `floats.wasm`: `node candidate-server/model/floats/compile.ts`
 * after every change. Eight bytes fit into one of its integers, and none of its loads asks whether a buffer is still
 * there: numbers are read in half the time that JavaScript takes over them.
 */

/** As in `nested-array.ts`. */
const dimensionsMax = 32

const space: u8 = 0x20
const tab: u8 = 0x09
const lineFeed: u8 = 0x0a
const carriageReturn: u8 = 0x0d
const open: u8 = 0x5b
const close: u8 = 0x5d
const comma: u8 = 0x2c
const minus: u8 = 0x2d
const plus: u8 = 0x2b
const point: u8 = 0x2e
const zero: u8 = 0x30
const lowerCase: u8 = 0x20
const e: u8 = 0x65

/**
 * Whole numbers up to 2^53 and powers of ten up to 10^22 are doubles, so that one operation on them is rounded once
 * (Clinger, 1990). Higher powers are the nearest doubles.
 */
const exactWholeMax: u64 = 9007199254740991
const exactPowerMax = 22
const powerMax = 60
const powersOfTen = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39,
  1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55, 1e56, 1e57, 1e58,
  1e59, 1e60,
])
const tens = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000])
/** So many fit into 63 bits, whatever they are. */
const digitsMax: usize = 18
/** Of a double that was rounded three times: relative, and generous. */
const tolerance = 2e-15

/** The double of a number's text, sign apart, which is too long for what is done here: JavaScript's own. */
declare function doubleOf(from: usize, to: usize): f64

/** One size for each dimension of what was read, as int32. */
export const shape = memory.data(dimensionsMax * 4, 4)
/** Where the bytes and the numbers may be put. */
export const room = __heap_base

let at: usize = 0
let out: usize = 0
let outEnd: usize = 0
/** Where its first number stands, and so all of them. */
let numbersDepth = -1

/**
 * Reads the array that begins at `from`; behind the text stands a zero, and seven bytes more. The float32 go to
 * `outFrom`, up to `outTo`. Returns how many, -1 where it is no regular array of numbers that are float32.
 */
export function read(from: usize, outFrom: usize, outTo: usize): i32 {
  at = from
  out = outFrom
  outEnd = outTo
  numbersDepth = -1
  memory.fill(shape, 0, dimensionsMax * 4)
  skipSpace()
  return array(0) ? i32((out - outFrom) >> 2) : -1
}

/** Behind the array that was read last. */
export function end(): usize {
  return at
}

/** Of the same. */
export function dimensions(): i32 {
  return numbersDepth + 1
}

function array(depth: i32): bool {
  if (depth === dimensionsMax || load<u8>(at) !== open) return false
  at++
  skipSpace()
  const size = load<u8>(at) === open ? arrays(depth + 1) : numbers(depth)
  const place = shape + (usize(depth) << 2)
  if (load<i32>(place) === 0) store<i32>(place, size)
  return size > 0 && load<i32>(place) === size
}

/** Up to the end of the array that they are in; how many, 0 where they are no such. */
function arrays(depth: i32): i32 {
  for (let size = 1; array(depth); size++) {
    skipSpace()
    const byte = load<u8>(at++)
    if (byte === close) return size
    if (byte !== comma) return 0
    skipSpace()
  }
  return 0
}

/** Likewise. */
function numbers(depth: i32): i32 {
  if (numbersDepth < 0) numbersDepth = depth
  else if (depth !== numbersDepth) return 0
  const first = out
  let o = out
  let p = at
  for (;;) {
    // signs come as they like: a branch would be foretold wrongly half of the time
    const sign = u32(load<u8>(p) === minus)
    p += usize(sign)
    const whole = p
    let byte = load<u8>(p)
    let digits: u64 = 0
    while (isDigit(byte)) {
      digits = digits * 10 + u64(byte - zero)
      byte = load<u8>(++p)
    }
    let count = p - whole
    if (count === 0 || (count > 1 && load<u8>(whole) === zero)) return 0
    let value: f32
    if (count <= digitsMax && (byte === comma || byte === close)) value = f32(f64(i64(digits)))
    else {
      let exponent: i32 = 0
      if (byte === point) {
        const fraction = ++p
        let eight = load<u64>(p) ^ eightZeros
        let others = notDigits(eight)
        for (; others === 0; others = notDigits(eight)) {
          digits = digits * 100_000_000 + numberOf(eight)
          p += 8
          eight = load<u64>(p) ^ eightZeros
        }
        const rest = usize(ctz(others) >> 3)
        // shifted in two steps: by 64 at once would be not at all
        digits = digits * load<u64>(tens + (rest << 3)) + numberOf((eight << (56 - (rest << 3))) << 8)
        p += rest
        if (p === fraction) return 0
        exponent = i32(fraction - p)
        count = p - whole - 1
        byte = load<u8>(p)
      }
      if ((byte | lowerCase) === e) {
        byte = load<u8>(++p)
        const isSmall = byte === minus
        if (isSmall || byte === plus) byte = load<u8>(++p)
        const power = p
        let written: i32 = 0
        while (isDigit(byte)) {
          written = min(written * 10 + i32(byte - zero), 10 * powerMax)
          byte = load<u8>(++p)
        }
        if (p === power) return 0
        exponent += isSmall ? -written : written
      }
      const distance = exponent < 0 ? -exponent : exponent
      let isNear = distance <= powerMax && (count <= digitsMax || count - leadingZeros(whole) <= digitsMax)
      let double: f64 = 0
      if (isNear) {
        const power = load<f64>(powersOfTen + (usize(distance) << 3))
        double = exponent < 0 ? f64(i64(digits)) / power : f64(i64(digits)) * power
        if (digits > exactWholeMax || distance > exactPowerMax)
          isNear = f32(double * (1 - tolerance)) === f32(double * (1 + tolerance))
      }
      value = f32(isNear ? double : doubleOf(whole, p))
      if (value === Infinity) return 0
      while (isSpace(byte)) byte = load<u8>(++p)
    }
    if (o === outEnd) return 0
    store<u32>(o, reinterpret<u32>(value) | (sign << 31))
    o += 4
    p++
    if (byte === close) break
    if (byte !== comma) return 0
    while (isSpace(load<u8>(p))) p++
  }
  at = p
  out = o
  return i32((o - first) >> 2)
}

/** Of a number with a point: those before its first other digit, which take no room among the digits. */
function leadingZeros(whole: usize): usize {
  if (load<u8>(whole) !== zero) return 0
  let p = whole + 2
  while (load<u8>(p) === zero) p++
  return p - whole - 1
}

function skipSpace(): void {
  while (isSpace(load<u8>(at))) at++
}

function isDigit(byte: u8): bool {
  return byte - zero <= 9
}

function isSpace(byte: u8): bool {
  return byte <= space && (byte === space || byte === lineFeed || byte === carriageReturn || byte === tab)
}

/** Fractions are long: their digits are read eight at a time, the first in the lowest byte. */
const eightZeros: u64 = 0x3030303030303030

/** The highest bit of each byte that is not 0 to 9, exact up to the first: it carries only into those behind it. */
function notDigits(eight: u64): u64 {
  return ((eight + 0x7676767676767676) | eight) & 0x8080808080808080
}

/** First pairs of digits, then pairs of these, then theirs: a factor adds what it shifts to what it does not. */
function numberOf(eight: u64): u64 {
  const pairs = ((eight * 2561) >> 8) & 0x00ff00ff00ff00ff
  const fours = ((pairs * 6553601) >> 16) & 0x0000ffff0000ffff
  return (fours * 42949672960001) >> 32
}
