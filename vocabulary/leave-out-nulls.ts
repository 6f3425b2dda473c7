/** As deep as the outcomes' headers stand in an observation; what lies deeper is a client's own. */
const depthMax = 3

/**
 * Takes out of a document that was just read, and is nobody else's, the members that are null, which many clients write
 * for what they leave out. For documents in which null means nothing of its own. In place: copies of the million members
 * that a body has room for take seconds.
 */
export function leaveOutNulls<Value>(value: Value, depth = depthMax): Value {
  if (depth === 0 || !isPlainObject(value)) return value
  for (const key in value) {
    if (value[key] === null) delete value[key]
    else leaveOutNulls(value[key], depth - 1)
  }
  return value
}

/** MessagePack has bytes and times besides: each byte would be a member. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
