import type { Role } from '../../../vocabulary/role.ts'

/** Who did something, as the audit names them. */
export interface Actor {
  name: string
  role: Role | 'system'
}

/** The comparator's own jobs. */
export const system: Actor = { name: 'understudy', role: 'system' }
