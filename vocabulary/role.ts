/** Each role may do what the roles below it may: viewer ⊂ operator ⊂ approver ⊂ admin; ingest ⊂ admin. */
export const roles = ['ingest', 'viewer', 'operator', 'approver', 'admin'] as const
export type Role = (typeof roles)[number]

const ladder: readonly Role[] = ['viewer', 'operator', 'approver', 'admin']

/** Whether a holder of the role `held` may do what requires the role `needed`. */
export function roleAllows(held: Role, needed: Role): boolean {
  if (held === needed || held === 'admin') return true
  return held !== 'ingest' && needed !== 'ingest' && ladder.indexOf(held) >= ladder.indexOf(needed)
}
