/** Each role may do what the ones before it in its line may: viewer ⊂ operator ⊂ approver ⊂ admin; ingest ⊂ admin. */
export const roles = ['ingest', 'viewer', 'operator', 'approver', 'admin'] as const
export type Role = (typeof roles)[number]

const ladder: readonly Role[] = ['viewer', 'operator', 'approver', 'admin']

/** Whether a holder of `held` may do what `needed` guards. */
export function roleAllows(held: Role, needed: Role): boolean {
  if (held === needed || held === 'admin') return true
  return held !== 'ingest' && needed !== 'ingest' && ladder.indexOf(held) >= ladder.indexOf(needed)
}
