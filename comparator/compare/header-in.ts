/** A header's value by its name in lower case; senders spell names as the client did. */
export function headerIn(headers: Record<string, string> | undefined, wanted: string): string | undefined {
  for (const name in headers) if (name.toLowerCase() === wanted) return headers[name]
  return undefined
}
