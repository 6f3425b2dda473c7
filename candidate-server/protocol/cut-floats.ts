import { type Floats, floatReader } from '../model/floats/read-floats.ts'

const dataKey = Buffer.from('"data"')
const nothing = Buffer.from('null')
const [backslash, colon] = [0x5c, 0x3a]

/**
 * An inference request's JSON with `null` for each array of numbers that is the value of a `data`, and these in their
 * order, read from the bytes: as text and values they would be most of the work. `undefined` where there is none, more
 * than `arraysMax`, or something that is for `JSON.parse` to read. Every `null` of a `data` stands for an array then.
 */
export function cutFloats(bytes: Uint8Array, arraysMax: number): { json: Buffer; arrays: Floats[] } | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // an escape can spell the key in another way, or stand before what looks like it
  if (all.includes(backslash)) return undefined
  let readAt: ReturnType<typeof floatReader>
  const pieces: Buffer[] = []
  const arrays: Floats[] = []
  let from = 0
  for (let key = all.indexOf(dataKey); key >= 0; ) {
    let next = key + dataKey.length
    const after = skipSpace(all, next)
    // else it is a text, such as an input's name
    if (all[after] === colon) {
      const value = after + 1
      // it copies the body: not for one that has nothing to be cut out
      readAt ??= floatReader(all, all.length)
      const read = arrays.length < arraysMax ? readAt?.(value) : undefined
      if (!read) return undefined
      arrays.push(read.floats)
      pieces.push(all.subarray(from, value), nothing)
      from = read.end
      next = read.end
    }
    key = all.indexOf(dataKey, next)
  }
  pieces.push(all.subarray(from))
  return arrays.length === 0 ? undefined : { json: Buffer.concat(pieces), arrays }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at]! <= 0x20) at++
  return at
}
