import { head, host } from '../case.ts'
import type { Refusal } from './refused-heads.ts'

const start = head('POST /p HTTP/1.1', host, 'transfer-encoding: chunked')
/** Marks how far the body may have been accepted as valid. */
const mark = '\u25ae'

const broken = (name: string, body: string): Refusal => ({
  name,
  sends: start + body.replace(mark, ''),
  legal: start + body.slice(0, body.indexOf(mark)),
  status: [400],
})

const first = '5\r\nhello\r\n'
const sizes = {
  none: '▮',
  'no digit': '▮x',
  negative: '▮-5',
  signed: '▮+5',
  prefixed: '0▮x5',
  'with space before it': '▮ 5',
  'with space and no extension behind it': '5 ▮',
  'with a tab and no extension behind it': '5\t▮',
  'with a separator': '5▮_0',
  'with a letter behind it': '5▮h',
  'with a comma': '5▮,5',
  'in digits of another script': '▮\u00b2',
  'that does not fit 64 bits': '1000000000000▮0005',
  'that does not fit an exact number': 'fffffffffffff▮fff',
}

/** Chunked bodies that become invalid after the head, and maybe some data, has passed. */
export const refusedBodies: Refusal[] = [
  ...Object.entries(sizes).map(([what, size]) => broken(`a size ${what}`, `${size}\r\nhello\r\n0\r\n\r\n`)),
  ...Object.entries(sizes).map(([what, size]) =>
    broken(`a second size ${what}`, `${first}${size}\r\nhello\r\n0\r\n\r\n`),
  ),
  broken('a size line that ends in LF alone', '5▮\nhello\r\n0\r\n\r\n'),
  broken('a size line that ends in CR alone', '5\r▮hello\r\n0\r\n\r\n'),
  broken('a size line that ends in CR CR LF', '5\r▮\r\nhello\r\n0\r\n\r\n'),
  broken('a chunk without its CRLF', '5\r\nhello▮0\r\n\r\n'),
  broken('a chunk that ends in LF alone', '5\r\nhello▮\n0\r\n\r\n'),
  broken('a chunk that ends in CR alone', '5\r\nhello\r▮0\r\n\r\n'),
  broken('a chunk longer than its size', '5\r\nhello▮!\r\n0\r\n\r\n'),
  broken('a last chunk that ends in LF alone', `${first}0▮\n\n`),
  broken('an extension with LF in it', '5;x▮\ny\r\nhello\r\n0\r\n\r\n'),
  broken('an extension with CR in it', '5;x\r▮y\r\nhello\r\n0\r\n\r\n'),
  broken('an extension with NUL in it', '5;x▮\x00y\r\nhello\r\n0\r\n\r\n'),
  broken('an extension of 20 KB', `5;${'x'.repeat(20_000)}▮\r\nhello\r\n0\r\n\r\n`),
  broken('a trailer without a colon', `${first}0\r\nnonsense\r\n\r▮\n`),
  broken('a trailer with space before its colon', `${first}0\r\nx : y\r\n\r▮\n`),
  broken('a folded trailer', `${first}0\r\nx: y\r\n z\r\n\r▮\n`),
  broken('a trailer with NUL in it', `${first}0\r\nx: \x00\r\n\r▮\n`),
  broken('a trailer that ends in LF alone', `${first}0\r\nx: y▮\n\r\n`),
  broken('trailers of 100 KB', `${first}0\r\nx: ${'y'.repeat(100_000)}\r\n\r▮\n`),
]

/** They would say too late where the message ends or for whom it is (RFC 9110, 6.5.1). */
export const misplacedTrailers: Refusal[] = [
  'content-length: 50',
  'transfer-encoding: chunked',
  'host: other.example',
  'connection: close',
].map((line) => broken(`the trailer ${line}`, `${first}0\r\n${line}\r\n\r▮\n`))
