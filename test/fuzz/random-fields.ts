import type { Random } from './random.ts'
import type { Field } from './read-head.ts'

const names = [
  'X-OdD-CaSe',
  'x-two',
  'X-TWO',
  'Accept',
  'User-Agent',
  'x_under.score',
  "x!#$%&'*+-.^_`|~9",
  'constructor',
]
const values = [
  '',
  '1',
  'a, b',
  '"quoted, \\" text"',
  'tab\there',
  'caf\xe9\xff',
  'x: y',
  'HTTP/1.1 200 OK',
  '%0d%0aset-cookie: a=1',
]
const plainValues = values.filter((value) => /^[ -~]*$/.test(value))

/**
 * End-to-end fields with unusual names, values and repetitions. `isPlain`: only those that Node's messages pass on
 * unchanged.
 */
export function randomFields(random: Random, isPlain: boolean): Field[] {
  const count = random.chance(0.1) ? random.int(20, 60) : random.int(0, 5)
  return Array.from({ length: count }, () => {
    const name = random.pick(names)
    const value = random.chance(0.05) ? 'v'.repeat(random.int(100, 6000)) : random.pick(isPlain ? plainValues : values)
    // only list fields may be repeated
    return name === 'User-Agent' || name === 'constructor' ? [`x-${name}`, value] : [name, value]
  })
}

/** A head's lines, with or without blanks around each value. */
export function writeFields(random: Random, fields: readonly Field[], isPlain: boolean): string {
  if (isPlain) return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return fields
    .map(([name, value]) => {
      const before = random.chance(0.85) ? ' ' : random.pick(['', '  ', '\t', ' \t '])
      const after = random.chance(0.95) ? '' : random.pick([' ', '\t', '  '])
      return `${name}:${before}${value}${after}\r\n`
    })
    .join('')
}

export function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items]
  return items.map(() => left.splice(random.int(0, left.length - 1), 1)[0]!)
}

/** Splits `body` into chunks of random sizes, with extensions, leading zeros and trailers where requested. */
export function writeChunks(random: Random, body: Buffer, trailers: readonly Field[]): Buffer {
  const parts: Buffer[] = []
  const extensions = ['', '', '', ';a', ';a=b', ';a="b;c"']
  const isOdd = random.chance(0.3)
  const size = (length: number) => {
    const hex = length.toString(16)
    if (!isOdd) return hex
    return `${'0'.repeat(random.int(0, 3))}${random.chance(0.5) ? hex.toUpperCase() : hex}${random.pick(extensions)}`
  }
  for (let at = 0; at < body.length; ) {
    const length = Math.min(body.length - at, 1 + random.size(body.length > 5000 ? 70_000 : 200))
    parts.push(Buffer.from(`${size(length)}\r\n`), body.subarray(at, at + length), Buffer.from('\r\n'))
    at += length
  }
  parts.push(Buffer.from(`${size(0)}\r\n${trailers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`))
  return Buffer.concat(parts)
}
