import type { Random } from './random.ts'

/** Known parser attacks: `[pattern, replacement]` in a head or a chunk line. */
const attacks: [RegExp, string][] = [
  [/\r\n/, '\n'],
  [/\r\n\r\n/, '\n\n'],
  [/\r\n/, '\r'],
  [/\r\n/, '\r\r\n'],
  [/\r\n/, '\r\n folded\r\n'],
  [/\r\n/, '\r\n\r\n'],
  [/: /, ' : '],
  [/: /, ':\x00'],
  [/: /, ':\x0b'],
  [/ HTTP\/1\.1/, ' HTTP/1.2'],
  [/ HTTP\/1\.1/, ' HTTP/2.0'],
  [/ HTTP\/1\.1/, ' HTTP/1.1 '],
  [/ HTTP\/1\.1/, '  HTTP/1.1'],
  [/ HTTP\/1\.1/, ' x HTTP/1.1'],
  [/ HTTP\/1\.1/, ''],
  [/\r\nhost:[^\r]*/i, ''],
  [/(\r\nhost:[^\r]*)/i, '$1$1'],
  [/(\r\ncontent-length:[^\r]*)/i, '$1$1'],
  [/(\r\ncontent-length:[^\r]*)/i, '$1, 5'],
  [/(\r\ncontent-length:[^\r]*)/i, '$11'],
  [/(\r\ncontent-length:)[^\r]*/i, '$1'],
  [/(\r\ncontent-length:)\s*/i, '$1 +'],
  [/(\r\ncontent-length:)\s*/i, '$1 -'],
  [/(\r\ncontent-length:)\s*/i, '$1 0x'],
  [/(\r\ncontent-length:)\s*/i, '$1 000'],
  [/(\r\ncontent-length:)[^\r]*/i, '$1 18446744073709551616'],
  [/(\r\ncontent-length:)[^\r]*/i, '$1 5 5'],
  [/\r\ncontent-length:/i, '\r\nContent-Length\x20:'],
  [/\r\ncontent-length:/i, '\r\nTransfer-Encoding: chunked\r\ncontent-length:'],
  [/\r\ntransfer-encoding:/i, '\r\nContent-Length: 5\r\ntransfer-encoding:'],
  [/\r\ntransfer-encoding:/i, '\r\nTransfer-Encoding: identity\r\ntransfer-encoding:'],
  [/(\r\ntransfer-encoding:)[^\r]*/i, '$1 xchunked'],
  [/(\r\ntransfer-encoding:)[^\r]*/i, '$1 chunked, identity'],
  [/(\r\ntransfer-encoding:)[^\r]*/i, '$1 gzip, chunked'],
  [/(\r\ntransfer-encoding:)[^\r]*/i, '$1 chunked, chunked'],
  [/(\r\ntransfer-encoding:)[^\r]*/i, '$1\x0bchunked'],
  [/(\r\ntransfer-encoding:)[^\r]*/i, '$1 "chunked"'],
  [/(\r\ntransfer-encoding:)[^\r]*/i, '$1'],
  [/(\r\ntransfer-encoding:[^\r]*)/i, '$1\r\nTransfer-Encoding: chunked'],
  [/\r\ntransfer-encoding:/i, '\r\nTransfer_Encoding:'],
  [/(chunked.*?\r\n\r\n[0-9a-f]+)/is, '$1 '],
  [/(chunked.*?\r\n\r\n)/is, '$10x'],
  [/(chunked.*?\r\n\r\n)/is, '$1-'],
  [/(chunked.*?\r\n\r\n)/is, '$1\r\n'],
  [/(chunked.*?\r\n\r\n)/is, '$1fffffffffffffffff'],
  [/(chunked.*?\r\n\r\n[0-9a-f]+)\r\n/is, '$1\n'],
  [/(chunked.*?\r\n\r\n[0-9a-f]+)\r\n/is, '$1;\n\r\n'],
  [/(chunked.*?\r\n\r\n[0-9a-f]+)/is, '$1g'],
  [/(chunked.*?\r\n0)\r\n\r\n/is, '$1\r\n'],
  [/(chunked.*?\r\n0)\r\n\r\n/is, '$1\n\n'],
  [/(chunked.*?\r\n0\r\n)/is, '$1Content-Length: 5\r\nHost: other\r\n'],
  [/(chunked.*?\r\n0\r\n)/is, '$1x y: 1\r\n'],
]

/** Turns a request into one that is nearly valid, or valid in an unusual way. */
export function mutate(random: Random, request: Buffer): Buffer {
  const text = request.toString('latin1')
  const headEnd = text.indexOf('\r\n\r\n') + 4
  const at = random.int(0, random.chance(0.8) ? headEnd - 1 : request.length - 1)
  const length = random.int(1, 4)
  const before = request.subarray(0, at)
  const behind = request.subarray(at)
  switch (random.choose({ attack: 12, flip: 3, insert: 3, remove: 3, repeat: 1, lengthened: 2, shortened: 2 })) {
    case 'attack':
      return attack(random, text)
    case 'flip':
      return Buffer.concat([before, Buffer.from([behind[0]! ^ (1 << random.int(0, 7))]), behind.subarray(1)])
    case 'insert':
      return Buffer.concat([before, random.chance(0.5) ? oddBytes(random) : random.bytes(length), behind])
    case 'remove':
      return Buffer.concat([before, behind.subarray(length)])
    case 'repeat':
      return Buffer.concat([before, behind.subarray(0, random.int(1, 30)), behind])
    case 'lengthened':
      return withLength(text, random.int(1, 3))
    case 'shortened':
      return withLength(text, -random.int(1, 3))
  }
}

function attack(random: Random, text: string): Buffer {
  const fitting = attacks.filter(([pattern]) => pattern.test(text))
  const [pattern, replacement] = random.pick(fitting)
  if (pattern.source !== '\\r\\n') return Buffer.from(text.replace(pattern, replacement), 'latin1')
  // picks one of the line ends
  const ends = [...text.slice(0, text.indexOf('\r\n\r\n') + 4).matchAll(/\r\n/g)]
  const { index } = random.pick(ends)
  return Buffer.from(text.slice(0, index) + replacement + text.slice(index + 2), 'latin1')
}

const oddBytes = (random: Random) =>
  Buffer.from(
    random.pick(['\0', '\r', '\n', '\r\n', ' ', '\t', ':', ',', ';', '\xff', '\x0b', '\x85', '\xa0']),
    'latin1',
  )

/** Changes the first length, or chunk size, by `delta`. */
function withLength(text: string, delta: number): Buffer {
  const changed = (digits: string, base: number) => Math.max(0, Number.parseInt(digits, base) + delta).toString(base)
  if (/\r\ncontent-length:/i.test(text)) {
    return Buffer.from(
      text.replace(/(\r\ncontent-length:\s*)(\d+)/i, (_, name, digits) => name + changed(digits, 10)),
      'latin1',
    )
  }
  return Buffer.from(
    text.replace(/(\r\n\r\n)([0-9a-f]+)/i, (_, blank, digits) => blank + changed(digits, 16)),
    'latin1',
  )
}
