/** A header's value by its name in lower case; names in `headers` may be in any case. */
export function headerIn(headers: Record<string, string> | undefined, wanted: string): string | undefined {
  for (const name in headers) if (name.toLowerCase() === wanted) return headers[name]
  return undefined
}
