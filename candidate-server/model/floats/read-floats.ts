import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bytes } from '../../../vocabulary/units.ts'

export interface Floats {
  shape: number[]
  /** Row-major. */
  data: Float32Array<ArrayBuffer>
}

/** TypeScript knows it of browsers alone. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: object }
}

/** What `assembly.ts` exports. */
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
/** Eight bytes are read at a time, also at the end. */
const padding = 16
/** What is kept from one array to the next. */
const keptMax: Bytes = 16 * 1024 * 1024
/** Addresses have 32 bits. */
const roomMax: Bytes = 3 * 1024 ** 3

/**
 * The numbers of a JSON array, nested as it may be, as `JSON.parse` and `Math.fround` would give them, but sooner: no
 * text is made of the bytes, no array of the text. `undefined` where it is anything else than a regular array of up to
 * `countMax` numbers within float32, and `JSON.parse` is to say what.
 */
export function readFloats(bytes: Uint8Array, countMax: number): Floats | undefined {
  const read = floatReader(bytes, countMax)?.(0)
  return read && isSpaceFrom(bytes, read.end) ? read.floats : undefined
}

/**
 * Likewise for arrays that begin somewhere in `bytes`, and where each ends. To be used before this is called again: all
 * readers share their memory.
 */
export function floatReader(
  bytes: Uint8Array,
  countMax: number,
): ((from: number) => { floats: Floats; end: number } | undefined) | undefined {
  // a number and what parts it from the next are two bytes at the least
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

/** All of it is written, so it need not be zeros; and a few take their memory from Node's pool. */
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
