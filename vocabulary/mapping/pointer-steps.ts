/**
 * Whether two paths are equal or one contains the other: `/user` and `/user/name` overlap. A `*` matches any one step.
 */
export function pathsOverlap(a: readonly string[], b: readonly string[]): boolean {
  const steps = Math.min(a.length, b.length)
  return a.slice(0, steps).every((step, i) => step === b[i] || step === '*' || b[i] === '*')
}

/** A pointer's steps (RFC 6901), unescaped. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
