/**
 * The same messages with each chunked body in a single chunk, without chunk extensions. For forwarders that frame a
 * body anew, where the boundaries of chunks only show when bytes arrived. What does not parse stays as it is.
 */
export function inOneChunk(messages: string): string {
  let result = ''
  let at = 0
  for (const { index, 0: head } of messages.matchAll(chunkedHead)) {
    if (index < at) continue
    const bodyStart = index + head.length
    const body = readChunks(messages, bodyStart)
    const size = body.data === '' ? '' : `${body.data.length.toString(16)}\r\n${body.data}\r\n`
    result += messages.slice(at, bodyStart) + size + (body.isComplete ? '0\r\n' : '')
    at = body.end
  }
  return result + messages.slice(at)
}

const chunkedHead = /^transfer-encoding: *chunked *\r\n(?:[^\r\n]+\r\n)*\r\n/gim
const sizeLine = /([0-9a-f]+)(?:;[^\r\n]*)?\r\n/iy

/** Reads up to the trailers, which follow in the text. */
function readChunks(text: string, from: number): { data: string; end: number; isComplete: boolean } {
  let data = ''
  let end = from
  for (;;) {
    sizeLine.lastIndex = end
    const line = sizeLine.exec(text)
    if (!line) return { data, end, isComplete: false }
    const start = end + line[0].length
    const size = Number.parseInt(line[1]!, 16)
    if (size === 0) return { data, end: start, isComplete: true }
    if (text.slice(start + size, start + size + 2) !== '\r\n') return { data, end, isComplete: false }
    data += text.slice(start, start + size)
    end = start + size + 2
  }
}
