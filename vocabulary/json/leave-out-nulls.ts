/** The depth of the outcomes' headers in an observation; anything deeper is the client's own. */
const depthMax = 3

/**
 * Removes null members, which many clients write for absent ones, from a freshly parsed document that nobody else
 * holds. Only for documents in which null has no meaning of its own. Works in place: copying the million members that a
 * body has room for takes seconds.
 */
export function leaveOutNulls<Value>(value: Value, depth = depthMax): Value {
  if (depth === 0 || !isPlainObject(value)) return value
  for (const key in value) {
    if (value[key] === null) delete value[key]
    else leaveOutNulls(value[key], depth - 1)
  }
  return value
}

/** MessagePack also yields bytes and times: of bytes, each would count as a member. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
