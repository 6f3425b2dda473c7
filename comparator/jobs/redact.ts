/**
 * Replaces what the RFC 6901 pointers name in a JSON body by `"[redacted]"`. A body that should be JSON and cannot be
 * read is not kept at all: what cannot be searched cannot be cleaned. Other bodies (images) pass.
 */
export function redactBody(body: string, contentType: string | undefined, pointers: readonly string[]): string | null {
  if (pointers.length === 0) return body
  let document: unknown
  try {
    document = JSON.parse(body)
  } catch {
    return contentType !== undefined && !/json|text/i.test(contentType) ? body : null
  }
  for (const pointer of pointers) redactAt(document, pointer)
  return JSON.stringify(document)
}

function redactAt(document: unknown, pointer: string): void {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = tokens.pop()!
  let node = document
  for (const token of tokens) node = childOf(node, token)
  if (node !== null && typeof node === 'object' && Object.hasOwn(node, last)) {
    Object.assign(node, { [last]: '[redacted]' })
  }
}

function childOf(node: unknown, token: string): unknown {
  if (node === null || typeof node !== 'object' || !Object.hasOwn(node, token)) return undefined
  return (node as Record<string, unknown>)[token]
}
