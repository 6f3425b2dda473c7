/** What stands alone in arrays of one: a tensor's batch dimension around one answer. */
export function unwrapSingles(value: unknown): unknown {
  let inner = value
  while (Array.isArray(inner) && inner.length === 1) inner = inner[0]
  return inner
}

/** The innermost array that stands alone in arrays of one: `[[0.1, 0.9]]` → `[0.1, 0.9]`. */
export function unwrapList(value: unknown): unknown {
  let list = value
  while (Array.isArray(list) && list.length === 1 && Array.isArray(list[0])) list = list[0]
  return list
}
