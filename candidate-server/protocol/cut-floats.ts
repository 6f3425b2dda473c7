import { type Floats, floatReader } from '../tensor/floats/read-floats.ts'

const dataKey = Buffer.from('"data"')
const nothing = Buffer.from('null')
const [backslash, colon] = [0x5c, 0x3a]

/**
 * Replaces each array of numbers under a `data` key of an inference request's JSON with `null`, and returns the arrays
 * in order, parsed from the bytes: parsing them as JSON would be most of the work. Returns `undefined` if there are
 * none, more than `arraysMax`, or any `data` that needs `JSON.parse`; so every `null` under `data` in the result stands
 * for an array.
 */
export function cutFloats(bytes: Uint8Array, arraysMax: number): { json: Buffer; arrays: Floats[] } | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // an escape can spell the key differently, or precede something that looks like it
  if (all.includes(backslash)) return undefined
  let readAt: ReturnType<typeof floatReader>
  const pieces: Buffer[] = []
  const arrays: Floats[] = []
  let from = 0
  for (let key = all.indexOf(dataKey); key >= 0; ) {
    let next = key + dataKey.length
    const after = skipSpace(all, next)
    // otherwise it is a string, such as an input's name
    if (all[after] === colon) {
      const value = after + 1
      // created late because it copies the body, which is wasted if there is nothing to cut
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
