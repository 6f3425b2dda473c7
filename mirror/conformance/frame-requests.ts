/**
 * Cuts what a primary received into requests, by `content-length` and `chunked` alone. Deliberately simple: whatever
 * else a mirror lets through shows up as a request that nobody sent, or as bytes left over.
 */
export function firstRequest(bytes: string, from = 0): { head: string; end: number | undefined } | undefined {
  const emptyLines = /^(?:\r\n)*/.exec(bytes.slice(from, from + 100))![0].length
  const headEnd = bytes.indexOf('\r\n\r\n', from + emptyLines)
  if (headEnd < 0) return undefined
  const head = bytes.slice(from, headEnd + 4)
  const bodyStart = headEnd + 4
  if (/^transfer-encoding:.*chunked/im.test(head)) return { head, end: chunkedEnd(bytes, bodyStart) }
  const end = bodyStart + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  return { head, end: end <= bytes.length ? end : undefined }
}

/** Where a chunked body ends, trailers included; undefined if it has not ended. */
function chunkedEnd(bytes: string, from: number): number | undefined {
  let at = from
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.slice(at, lineEnd), 16)
    if (!(size > 0)) {
      const end = bytes.indexOf('\r\n\r\n', lineEnd)
      return end < 0 ? undefined : end + 4
    }
    at = lineEnd + 2 + size + 2
    if (at > bytes.length) return undefined
  }
}
