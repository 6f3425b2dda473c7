/** Unwraps arrays of one item, such as a tensor's batch dimension around a single answer. */
export function unwrapSingles(value: unknown): unknown {
  let inner = value
  while (Array.isArray(inner) && inner.length === 1) inner = inner[0]
  return inner
}

/** The innermost array within arrays of one item: `[[0.1, 0.9]]` → `[0.1, 0.9]`. */
export function unwrapList(value: unknown): unknown {
  let list = value
  while (Array.isArray(list) && list.length === 1 && Array.isArray(list[0])) list = list[0]
  return list
}
