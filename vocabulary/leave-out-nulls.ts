/** As deep as the outcomes' headers stand in an observation; what lies deeper is a client's own. */
const depthMax = 3

/**
 * Without the members that are null, which many clients write for what they leave out. For documents in which null means
 * nothing of its own.
 */
export function leaveOutNulls(value: unknown, depth = depthMax): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, leaveOutNulls(member, depth - 1)]))
}
