// biome-ignore-all lint/correctness/noPrecisionLoss: these integers have 64 bits

/**
 * AssemblyScript, which reads like TypeScript and compiles to `floats.wasm`: run `node
 * candidate-server/tensor/floats/compile.ts` after every change. It parses numbers twice as fast as JavaScript: its
 * integers hold eight bytes, and its loads need no check that the buffer still exists.
 */

/** Same as in `nested-array.ts`. */
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
 * Whole numbers up to 2^53 and powers of ten up to 10^22 are exact doubles, so one operation on them rounds only once
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
/** Any number of this many digits fits into 63 bits. */
const digitsMax: usize = 18
/** A generous bound on the relative error of a double that was rounded three times. */
const tolerance = 2e-15

/** Parses a number's text, without its sign, by JavaScript; used for numbers too long to parse here. */
declare function doubleOf(from: usize, to: usize): f64

/** Sizes of the dimensions of the last array read, as int32. */
export const shape = memory.data(dimensionsMax * 4, 4)
/** Start of the free memory for input bytes and output numbers. */
export const room = __heap_base

let at: usize = 0
let out: usize = 0
let outEnd: usize = 0
/** Nesting depth of the first number; all numbers must have the same depth. */
let numbersDepth = -1

/**
 * Reads the array that begins at `from`; the text must be followed by eight bytes, the first of them zero. Writes
 * float32 values from `outFrom` up to `outTo`. Returns their count, or -1 if it is not a regular array of numbers
 * within float32.
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

/** Position after the array that was read last. */
export function end(): usize {
  return at
}

/** Number of dimensions of the array that was read last. */
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

/** Reads arrays up to the end of the enclosing array; returns their count, or 0 if they are not valid. */
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

/** Reads numbers up to the end of the enclosing array; returns their count, or 0 if they are not valid. */
function numbers(depth: i32): i32 {
  if (numbersDepth < 0) numbersDepth = depth
  else if (depth !== numbersDepth) return 0
  const first = out
  let o = out
  let p = at
  for (;;) {
    // branchless, because signs are random and half of the predictions would fail
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
        // shifted in two steps, because a shift by 64 would be a shift by 0
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

/** For a fraction below 1: its zeros before the first other digit, which do not count as digits. */
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

/** Fractions are long, so digits are read eight at a time, the first digit in the lowest byte. */
const eightZeros: u64 = 0x3030303030303030

/** Sets the top bit of each byte that is not a digit; exact up to the first, since carries reach only later bytes. */
function notDigits(eight: u64): u64 {
  return ((eight + 0x7676767676767676) | eight) & 0x8080808080808080
}

/**
 * Combines digits to pairs, pairs to fours and fours to eight; each factor adds the shifted value to the unshifted one.
 */
function numberOf(eight: u64): u64 {
  const pairs = ((eight * 2561) >> 8) & 0x00ff00ff00ff00ff
  const fours = ((pairs * 6553601) >> 16) & 0x0000ffff0000ffff
  return (fours * 42949672960001) >> 32
}
