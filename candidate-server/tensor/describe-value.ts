const charactersMax = 40

/** A JSON value for an error message: always short, and without traversing it. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value !== 'string') return String(value)
  return value.length > charactersMax ? `${JSON.stringify(value.slice(0, charactersMax))}…` : JSON.stringify(value)
}
