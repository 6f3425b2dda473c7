import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bytes } from '../../../vocabulary/units.ts'

export interface Floats {
  shape: number[]
  /** Row-major. */
  data: Float32Array<ArrayBuffer>
}

/** TypeScript declares it only for browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: object }
}

/** The exports of `assembly.ts`. */
interface Assembly {
  memory: { buffer: ArrayBuffer; grow(pages: number): void }
  room: { value: number }
  shape: { value: number }
  read(from: number, outFrom: number, outTo: number): number
  end(): number
  dimensions(): number
}

const compiled = new WebAssembly.Module(readFileSync(join(import.meta.dirname, 'floats.wasm')))

const pageBytes = 65_536
const bytesPerFloat = Float32Array.BYTES_PER_ELEMENT
/** The parser reads eight bytes at a time, even at the end. */
const padding = 16
/** Memory kept between calls; a larger request gets an instance of its own. */
const keptMax: Bytes = 16 * 1024 * 1024
/** Addresses are 32 bits. */
const roomMax: Bytes = 3 * 1024 ** 3

/**
 * Parses a JSON array of numbers, nested or not, with the result that `JSON.parse` and `Math.fround` would give, but
 * faster: it creates neither a string nor an intermediate array. Returns `undefined` for anything but a regular array
 * of up to `countMax` numbers within float32; `JSON.parse` then reports what is wrong.
 */
export function readFloats(bytes: Uint8Array, countMax: number): Floats | undefined {
  const read = floatReader(bytes, countMax)?.(0)
  return read && isSpaceFrom(bytes, read.end) ? read.floats : undefined
}

/**
 * Like `readFloats`, for arrays at given positions in `bytes`; also returns where each one ends. Must not be used after
 * the next call of this function: all readers share their memory.
 */
export function floatReader(
  bytes: Uint8Array,
  countMax: number,
): ((from: number) => { floats: Floats; end: number } | undefined) | undefined {
  // a number and its separator take at least two bytes
  const outBytes = Math.min(countMax, Math.floor(bytes.length / 2)) * bytesPerFloat
  const inBytes = Math.ceil((bytes.length + padding) / padding) * padding
  if (inBytes + outBytes > roomMax) return undefined
  const { assembly, room, shape } = inBytes + outBytes > keptMax ? instantiate() : kept
  const { memory } = assembly
  const missing = room + inBytes + outBytes - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes))
  const input = new Uint8Array(memory.buffer, room, inBytes)
  input.set(bytes)
  input.fill(0, bytes.length)
  const out = room + inBytes
  return (from) => {
    const count = assembly.read(room + from, out, out + outBytes)
    if (count < 0) return undefined
    const data = unsetFloats(count)
    data.set(new Float32Array(memory.buffer, out, count))
    const sizes = new Int32Array(memory.buffer, shape, assembly.dimensions())
    return { floats: { shape: Array.from(sizes), data }, end: assembly.end() - room }
  }
}

const kept = instantiate()

function instantiate() {
  const doubleOf = (from: number, to: number) =>
    Number(Buffer.from(assembly.memory.buffer, from, to - from).toString('latin1'))
  const instance = new WebAssembly.Instance(compiled, { assembly: { doubleOf } })
  const assembly = instance.exports as Assembly
  const room = Math.ceil(assembly.room.value / padding) * padding
  return { assembly, room, shape: assembly.shape.value }
}

/** Uninitialised, because every element is written; small arrays come from Node's pool. */
function unsetFloats(count: number): Float32Array<ArrayBuffer> {
  const { buffer, byteOffset } = Buffer.allocUnsafe(count * bytesPerFloat)
  return new Float32Array(buffer, byteOffset, count)
}

function isSpaceFrom(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length; at++) if (!isSpace(bytes[at]!)) return false
  return true
}

const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d]
const isSpace = (byte: number) => byte === space || byte === lineFeed || byte === carriageReturn || byte === tab
